// Calls to the API. The token goes in a header, never into an address.

const KEY = 'stint.token';

/** An answer that is not what was asked for, in words. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
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
  const response = await send(method, path, body, signal);
  const text = await response.text();
  const content = parse(text);
  if (!response.ok) {
    throw errorOf(response, content);
  }
  return content;
}

/** From where the page is, so that a proxy may put both under a prefix. */
async function send(method, path, body, signal) {
  const headers = { Accept: 'application/json' };
  if (token.get()) {
    headers['X-API-Token'] = token.get();
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  try {
    return await fetch(new URL(path, document.baseURI), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (problem) {
    if (problem.name === 'AbortError') {
      throw problem;
    }
    throw new ApiError(0, 'unreachable', 'The server does not answer. The page goes on trying.');
  }
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
