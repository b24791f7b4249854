-- Goes on after a suspension: warms up again.
obj.spec.suspend = false
return obj
