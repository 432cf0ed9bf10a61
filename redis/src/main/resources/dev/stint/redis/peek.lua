-- What workers have written about jobs.
-- Given how many events of a job to tell of at most, how long a result or error may be, and of each job its id and the
-- id of the last event that is known.
-- Answers for each job: status, updated_ts, result, error (both "" while it runs, "!" and its length if it is too
-- long), {id, type, step, data, …} of the new events.
local most = tonumber(ARGV[1])
local longest = tonumber(ARGV[2])
local ends = { done = true, error = true, canceled = true }

local function text(key, name)
  local length = redis.call('HSTRLEN', key, name)
  if length > longest then
    return '!' .. length
  end
  return redis.call('HGET', key, name) or ''
end

local function peek(hash, events, known)
  local status = redis.call('HGET', hash, 'status') or ''
  local said = {}
  for _, entry in ipairs(redis.call('XRANGE', events, '(' .. known, '+', 'COUNT', most)) do
    local fields = {}
    for i = 1, #entry[2], 2 do
      fields[entry[2][i]] = entry[2][i + 1]
    end
    said[#said + 1] = entry[1]
    said[#said + 1] = fields['type'] or ''
    said[#said + 1] = fields['step'] or ''
    said[#said + 1] = fields['data'] or ''
  end
  return {
    status,
    redis.call('HGET', hash, 'updated_ts') or '',
    ends[status] and text(hash, 'result') or '',
    ends[status] and text(hash, 'error') or '',
    said,
  }
end

local answers = {}
for i = 3, #ARGV, 2 do
  local job = 'job:' .. ARGV[i]
  local fine, seen = pcall(peek, job, job .. ':events', ARGV[i + 1])
  answers[#answers + 1] = fine and seen or { '', '', '', '', {} }
end
return answers
