-- Which actions Argo CD offers on a SoakCampaign: none on one that is over.
local over = false
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "Finished" and condition.status == "True" then
      over = true
    end
  end
end
local suspended = obj.spec.suspend == true
local cancelled = obj.spec.cancel == true
return {
  suspend = {disabled = over or suspended or cancelled},
  resume = {disabled = over or not suspended or cancelled},
  cancel = {disabled = over or cancelled},
}
