// The form that asks for the token.

import { get, token } from './api.js';

const form = document.getElementById('ask');
const input = document.getElementById('token');
const button = document.getElementById('enter');
const problem = document.getElementById('token-problem');

/** The token of a server on this machine that was given none; it takes calls from here alone. */
const DEFAULT = 'dev-token';

let done = () => {};

/** Shows the form, says why if it is not for the first time, and calls back when a token was taken. */
export function askForToken(said, then) {
  done = then;
  token.forget();
  input.value = '';
  problem.textContent = said ?? '';
  form.hidden = false;
  input.focus();
}

/** Whether the page needs none that somebody would have to type in again. */
export function isDefault() {
  return token.get() === DEFAULT;
}

/** Whether this is the default set-up, which answers its own machine without a credential. */
export async function needsNoToken() {
  try {
    await get('v1/jobs?limit=1');
    token.set(DEFAULT);
    await get('v1/queues');
    return true;
  } catch {
    token.forget();
    return false;
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  problem.textContent = '';
  token.set(input.value.trim());
  try {
    await get('v1/queues');
    input.value = '';
    form.hidden = true;
    done();
  } catch (refused) {
    token.forget();
    problem.textContent = whyNot(refused);
    input.focus();
    input.select();
  } finally {
    button.disabled = false;
  }
});

/** Why a token was not taken. */
export function whyNot(refused) {
  if (refused.status === 401) {
    return 'The server does not take this token. Check it and enter it again.';
  }
  if (refused.status === 403) {
    return `The server knows this token, but it may not see the dashboard: ${refused.message}.`;
  }
  return refused.status === 0 ? 'The server does not answer. Try it again in a while.' : refused.message;
}
