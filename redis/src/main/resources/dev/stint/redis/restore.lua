-- Lets a hash say again that its job runs. Given the hash, and the status and time that it says now.
if redis.call('HGET', ARGV[1], 'status') == ARGV[2] and redis.call('HGET', ARGV[1], 'updated_ts') == ARGV[3] then
  redis.call('HSET', ARGV[1], 'status', 'running', 'result', '', 'error', '')
end
return 'ok'
