-- The health of a SoakCampaign for Argo CD, from its conditions. A campaign that is over stays what it came to.
-- The annotation soak.dev/inconclusive-is: Healthy takes an Inconclusive campaign for healthy; without it, it is degraded.
local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end

local function is(name)
  return conditions[name] ~= nil and conditions[name].status == "True"
end

local function health(status, condition, words)
  local message = words
  if condition ~= nil and condition.message ~= nil and condition.message ~= "" then
    message = condition.message
  end
  if condition ~= nil and condition.reason ~= nil and condition.reason ~= "" then
    message = condition.reason .. ": " .. message
  end
  return {status = status, message = message}
end

if obj.metadata.deletionTimestamp ~= nil then
  return health("Progressing", nil, "is being deleted")
end

if is("Finished") then
  local finished = conditions["Finished"]
  if is("Succeeded") then
    return health("Healthy", finished, "is over")
  end
  local annotations = obj.metadata.annotations or {}
  if finished.reason == "Inconclusive" and annotations["soak.dev/inconclusive-is"] == "Healthy" then
    return health("Healthy", finished, "is over")
  end
  return health("Degraded", finished, "is over")
end

if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", nil, "waits for the operator to look at it")
end

if is("Stalled") then
  return health("Degraded", conditions["Stalled"], "cannot go on")
end

local reconciling = conditions["Reconciling"]
if reconciling ~= nil and reconciling.reason == "Suspended" then
  return health("Suspended", reconciling, "holds")
end
return health("Progressing", reconciling, "is under way")
