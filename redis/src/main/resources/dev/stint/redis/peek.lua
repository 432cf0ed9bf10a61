-- What workers have written about jobs.
-- Given how many events of a job to tell of at most, how long a result or error and how long the data of an event may
-- be, after how many bytes to stop, and of each job its id and the id of the last event that is known.
-- Answers for as many of the jobs as fit, for one at least: status, updated_ts, result, its length, error, its length
-- ("" and 0 while it runs), {id, type, step, data, its length, …} of the new events, and whether there are more of them.
-- What is too long is "".
local PAGE, WORD, LINE = 20, 100, 800
local most, longest, longestData, enough =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ends = { done = true, error = true, canceled = true }
local bytes = 0

local function told(value)
  bytes = bytes + #value
  return value
end

local function word(key, name)
  return told(string.sub(redis.call('HGET', key, name) or '', 1, WORD))
end

local function report(key, name)
  local length = redis.call('HSTRLEN', key, name)
  return told(length <= longest and redis.call('HGET', key, name) or ''), length
end

local function add(said, entry)
  local fields = {}
  for i = 1, #entry[2], 2 do
    fields[entry[2][i]] = entry[2][i + 1]
  end
  local data = fields['data'] or ''
  said[#said + 1] = told(entry[1])
  said[#said + 1] = told(string.sub(fields['type'] or '', 1, WORD))
  said[#said + 1] = told(string.sub(fields['step'] or '', 1, LINE))
  said[#said + 1] = told(#data <= longestData and data or '')
  said[#said + 1] = #data
end

local function peek(hash, events, known)
  local status, at = word(hash, 'status'), word(hash, 'updated_ts')
  local result, resultLength, failure, failureLength = '', 0, '', 0
  if ends[status] then
    result, resultLength = report(hash, 'result')
    failure, failureLength = report(hash, 'error')
  end
  local said, count, more, page = {}, 0, 'no', nil
  repeat
    page = redis.call('XRANGE', events, '(' .. known, '+', 'COUNT', PAGE)
    for _, entry in ipairs(page) do
      if count == 0 or (count < most and bytes < enough) then
        add(said, entry)
        count = count + 1
        known = entry[1]
      else
        more = 'more'
      end
    end
  until #page < PAGE or more == 'more'
  return { status, at, result, resultLength, failure, failureLength, said, more }
end

local answers = {}
local i = 5
repeat
  local job = 'job:' .. ARGV[i]
  local fine, seen = pcall(peek, job, job .. ':events', ARGV[i + 1])
  answers[#answers + 1] = fine and seen or { '', '', '', 0, '', 0, {}, 'no' }
  i = i + 2
until i > #ARGV or bytes >= enough
return answers
