-- Writes jobs that are over and of which nobody was shown anything, each key as a whole. Given of each job its id, how
-- long it is kept, its idempotency key or '', its hash and its events, both as Redis dumps them.
-- Answers for each job: 'ok', or why it cannot be written in this way.
local answers = {}
for i = 1, #ARGV, 5 do
  local job, ttl, key = 'job:' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local made = redis.pcall('RESTORE', job .. ':events', ttl, ARGV[i + 4])
  if not made.err then
    made = redis.pcall('RESTORE', job, ttl, ARGV[i + 3])
  end
  if key ~= '' and not made.err then
    redis.call('SET', 'idempotency:' .. key, ARGV[i], 'PX', ttl)
  end
  answers[#answers + 1] = made.err or 'ok'
end
return answers
