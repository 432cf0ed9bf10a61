-- Takes messages out of their streams for good. Given of each: its queue, its id, its job and its enqueue id.
for i = 1, #ARGV, 4 do
  local queue, message, job, enqueue = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local messages = 'stint:messages:' .. queue
  redis.pcall('XACK', queue, GROUP, message)
  redis.pcall('XDEL', queue, message)
  if redis.pcall('HGET', messages, job) == enqueue .. ' ' .. message then
    redis.call('HDEL', messages, job)
  end
end
return 'ok'
