-- What the group of each stream has given out.
-- Given how many messages of a stream to tell of at most, and of each stream its name and the id up to which its
-- messages are known.
-- Answers for each stream: the id up to which messages were given out ("" if it has no group), the id up to which
-- they are told of, {message, job id, enqueue id, …} of the new ones, {message, consumer, idle, …} of all that nobody
-- has acknowledged.
local PAGE = 1000
local most = tonumber(ARGV[1])

local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return ''
end

local answers = {}
for i = 2, #ARGV, 2 do
  local stream = ARGV[i]
  local last = last_delivered(stream)
  local told, messages, pending = ARGV[i + 1], {}, {}
  if last then
    local entries = redis.call('XRANGE', stream, '(' .. told, last, 'COUNT', most)
    for _, entry in ipairs(entries) do
      messages[#messages + 1] = entry[1]
      messages[#messages + 1] = field(entry[2], 'job_id')
      messages[#messages + 1] = field(entry[2], 'enqueue_id')
    end
    told = #entries == most and entries[#entries][1] or last
    local from = '-'
    repeat
      local page = redis.call('XPENDING', stream, GROUP, from, '+', PAGE)
      for _, one in ipairs(page) do
        pending[#pending + 1] = one[1]
        pending[#pending + 1] = one[2]
        pending[#pending + 1] = tostring(one[3])
        from = '(' .. one[1]
      end
    until #page < PAGE
  end
  answers[#answers + 1] = { last or '', told, messages, pending }
end
return answers
