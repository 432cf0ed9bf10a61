-- Takes away a message that is for no job, or is not the one that its job has.
local queue, message, id, isGone = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'gone'
local messages = 'stint:messages:' .. queue
local entry = redis.call('HGET', messages, id)
local isIts = entry and string.match(entry, ' (%S+)$') == message
if isGone or not isIts then
  drop(queue, message)
  if isIts then
    redis.call('HDEL', messages, id)
  end
end
return 'ok'
