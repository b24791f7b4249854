-- Finishes the step at hand, then holds.
obj.spec.suspend = true
return obj
