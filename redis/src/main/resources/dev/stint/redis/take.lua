-- Takes the messages of jobs that were claimed out of their streams; what mark.lua left to be done.
-- Given of each job: its queue, id and enqueue id.
-- Answers for each job: "T id" or "T" if nobody else has it, "D id consumer" if a worker had got it before.
local delivered = {}
local function wasDelivered(stream, message)
  delivered[stream] = delivered[stream] or last_delivered(stream) or '0-0'
  return not is_after(message, delivered[stream])
end

local function holder(stream, message)
  local pending = redis.call('XPENDING', stream, GROUP, message, message, 1)
  if #pending > 0 then
    return pending[1][2]
  end
  -- Acknowledged and still there: whoever had it is done, and that is not known yet.
  return #redis.call('XRANGE', stream, message, message) > 0 and 'native' or nil
end

local function take(stream, job, enqueue)
  local messages = 'stint:messages:' .. stream
  local kept = redis.call('HGET', messages, job)
  local keptEnqueue, message
  if kept then
    keptEnqueue, message = string.match(kept, '^(%S+) (%d+%-%d+)$')
  end
  local consumer
  if message and keptEnqueue == enqueue and wasDelivered(stream, message) then
    consumer = holder(stream, message)
  end
  if consumer then
    return 'D ' .. message .. ' ' .. consumer
  end
  if message then
    drop(stream, message)
  end
  if redis.call('HGET', 'job:' .. job, 'status') == 'running' then
    redis.call('HDEL', messages, job)
  else
    redis.call('HSET', messages, job, enqueue .. ' taken')
  end
  return message and keptEnqueue == enqueue and 'T ' .. message or 'T'
end

for _, i in ipairs(left) do
  -- A key of another type must not keep others from their answer.
  local fine, answer = pcall(take, ARGV[i], ARGV[i + 1], ARGV[i + 2])
  answers[(i + 2) / 3] = fine and answer or 'T'
end
return answers
