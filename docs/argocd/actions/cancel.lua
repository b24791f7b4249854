-- Ends the campaign and keeps what was measured.
obj.spec.cancel = true
return obj
