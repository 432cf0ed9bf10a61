// The form that asks for the token.

import { get, token } from './api.js';
import { h, put } from './dom.js';

/**
 * @param said why it is asked for, if not for the first time
 * @param done called when the server took the token
 */
export function tokenForm(said, done) {
  const problem = h('p', { id: 'token-problem', class: 'problem', role: 'alert' });
  const input = h('input', {
    id: 'token',
    name: 'token',
    type: 'password',
    autocomplete: 'current-password',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'token-help token-problem',
  });
  const button = h('button', { type: 'submit', class: 'main' }, 'Open');
  const form = h(
    'form',
    { class: 'card ask', onsubmit: enter },
    h('h1', { tabindex: '-1' }, 'Open the dashboard'),
    h('label', { for: 'token' }, 'X-API-Token'),
    input,
    h(
      'p',
      { id: 'token-help', class: 'muted' },
      'What the server was given as ',
      h('code', {}, '--token'),
      ' or ',
      h('code', {}, 'STINT_API_TOKEN'),
      '. A server on this machine that was given none takes ',
      h('code', {}, 'dev-token'),
      '. It is kept until this tab is closed.',
    ),
    problem,
    button,
  );
  put(problem, said ?? '');

  async function enter(event) {
    event.preventDefault();
    button.disabled = true;
    put(problem, '');
    token.set(input.value.trim());
    try {
      await get('jobs?limit=1');
      done();
    } catch (refused) {
      token.forget();
      put(problem, words(refused));
      input.select();
      input.focus();
    } finally {
      button.disabled = false;
    }
  }

  return form;
}

/** Why a token was not taken. */
export function words(refused) {
  if (refused.status === 401) {
    return 'The server does not take this token. Check it and enter it again.';
  }
  if (refused.status === 403) {
    return `The server knows this token, but it may not see the dashboard: ${refused.message}`;
  }
  return refused.message;
}
