-- The first part of take.lua: jobs of which nothing was shown yet. Under load that is nearly all of them, so that it uses
-- nothing of what scripts share.
redis.replicate_commands()
local answers, left = {}, {}
for i = 1, #ARGV, 3 do
  local stream, job, enqueue = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  -- The relay may be about to add a message, unless it has seen already that the job runs.
  if redis.pcall('HGET', 'job:' .. job, 'status') ~= 'running'
    and redis.pcall('HSETNX', 'stint:messages:' .. stream, job, enqueue .. ' taken') == 1 then
    answers[(i + 2) / 3] = 'T'
  else
    left[#left + 1] = i
  end
end
if #left == 0 then
  return answers
end
