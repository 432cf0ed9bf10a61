// Calls to the API. The token goes in a header, never into an address.

const KEY = 'stint.token';
/** Streams say something at least every 15 seconds; after this they are taken for dead. */
const SILENCE_MS = 40_000;
/** Whoever waits longer for an answer wants to be told. */
const ANSWER_MS = 30_000;

/** An answer that is not what was asked for, in words. */
class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether it is the token that is wrong. */
  get isRefusal() {
    return this.status === 401 || this.status === 403;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => sessionStorage.setItem(KEY, value),
  forget: () => sessionStorage.removeItem(KEY),
};

/** `path` with those parameters that have a value. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '') {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

export function get(path, signal) {
  return call('GET', path, undefined, signal);
}

export function post(path, body = {}, signal) {
  return call('POST', path, body, signal);
}

async function call(method, path, body, signal) {
  const late = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await send(method, path, body, signal ? AbortSignal.any([signal, late]) : late);
    const content = parse(await response.text());
    if (!response.ok) {
      throw errorOf(response, content);
    }
    return content;
  } catch (problem) {
    throw problem.name === 'TimeoutError' ? tooLate(method) : problem;
  }
}

/**
 * Follows a stream of events until it ends, and calls back with `{id, type, data}` for each. The
 * browser's own EventSource could send the token in the address only.
 */
export async function stream(path, { signal, lastId, onOpen, onEvent }) {
  const more = { Accept: 'text/event-stream' };
  if (lastId) {
    more['Last-Event-ID'] = lastId;
  }
  const response = await send('GET', path, undefined, signal, more);
  if (!response.ok) {
    throw errorOf(response, parse(await response.text()));
  }
  onOpen?.();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await soon(reader);
      if (done) {
        return;
      }
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop();
      blocks.map(event).filter(Boolean).forEach(onEvent);
    }
  } catch (problem) {
    throw problem instanceof ApiError || signal?.aborted ? problem : unreachable();
  }
}

/** The next piece. A stream that is silent for too long has not ended, but failed. */
async function soon(reader) {
  let isSilent = false;
  const timer = setTimeout(() => {
    isSilent = true;
    reader.cancel();
  }, SILENCE_MS);
  try {
    const piece = await reader.read();
    if (isSilent) {
      throw unreachable();
    }
    return piece;
  } finally {
    clearTimeout(timer);
  }
}

/** One block of a stream; null if it is but a comment. */
function event(block) {
  const found = { type: 'message', data: null };
  for (const line of block.split('\n')) {
    const [, name, value] = line.match(/^(id|event|data): ?(.*)$/) ?? [];
    if (name === 'data') {
      found.data = found.data === null ? value : `${found.data}\n${value}`;
    } else if (name) {
      found[name === 'event' ? 'type' : name] = value;
    }
  }
  return found.data === null ? null : { ...found, data: parse(found.data) };
}

/** From where the page is, so that a proxy may put both under a prefix. */
async function send(method, path, body, signal, more = {}) {
  const headers = { Accept: 'application/json', ...more };
  if (token.get()) {
    headers['X-API-Token'] = token.get();
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  try {
    return await fetch(new URL(path, document.baseURI), {
      method,
      headers: written(headers),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (problem) {
    throw problem instanceof ApiError || ['AbortError', 'TimeoutError'].includes(problem.name) ? problem : unreachable();
  }
}

/** A token with letters that no header can hold is nobody's. */
function written(headers) {
  try {
    return new Headers(headers);
  } catch {
    throw new ApiError(401, 'unauthorized', 'The token has letters that none can have.');
  }
}

function tooLate(method) {
  const next = method === 'GET' ? 'The page goes on trying.' : 'It may still do what it was asked for.';
  return new ApiError(0, 'late', `The server has not answered within ${ANSWER_MS / 1000} seconds. ${next}`);
}

function unreachable() {
  return new ApiError(0, 'unreachable', 'The server does not answer. The page goes on trying.');
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function errorOf(response, content) {
  const message = content?.message ?? `The server answered with status ${response.status}.`;
  return new ApiError(response.status, content?.error ?? 'unknown', message);
}
