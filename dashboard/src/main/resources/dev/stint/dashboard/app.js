// Puts the page together: which view the address names, and what keeps it fresh.

import { token, withQuery } from './api.js';
import { h, put } from './dom.js';
import { events } from './events.js';
import { tick } from './format.js';
import { job } from './job.js';
import { jobs } from './jobs.js';
import { overview } from './overview.js';
import { tokenForm, words } from './token.js';
import { workers } from './workers.js';

const PAGES = [
  ['', 'Overview', overview],
  ['jobs', 'Jobs', jobs],
  ['workers', 'Workers', workers],
  ['events', 'Events', events],
];
const REFRESH_MS = 3000;

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const session = document.getElementById('session');
const live = document.getElementById('live');
const trouble = document.getElementById('trouble');

let running = null;

/** Where the address leads: `#/jobs/ID`, `#/jobs?status=FAILED`. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [page, id] = path.split('/').map(decodeURIComponent);
  return { page, id, query: new URLSearchParams(query) };
}

function go(path, parameters) {
  location.hash = '#/' + withQuery(path, parameters);
}

function show(isFirst) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const { page, id, query } = place();
  const known = PAGES.find(([name]) => name === page);
  say('');
  put(nav, PAGES.map(([name, label]) =>
    h('a', { href: `#/${name}`, 'aria-current': name === page ? 'page' : null }, label)));
  let wake = () => {};
  const context = { id, query, go, act: (verb) => act(verb, () => wake()) };
  const make = page === 'jobs' && id ? job : known?.[2];
  if (!make) {
    put(main, h('h1', { tabindex: '-1' }, 'Nothing is here'), h('p', {}, h('a', { href: '#/' }, 'To the overview')));
    return;
  }
  const view = make(context);
  document.title = `${view.title} · Stint`;
  const title = h('h1', { tabindex: '-1' }, view.title);
  put(main, h('div', { class: 'title' }, title, view.subtitle), view.body);
  if (!isFirst) {
    title.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  keepFresh(view, signal, (next) => {
    wake = next;
  });
}

/** Loads now and then again, as long as the view is the one that is seen. */
async function keepFresh(view, signal, onWait) {
  while (!signal.aborted) {
    try {
      await view.load(signal);
      say('');
      isLive(true);
    } catch (problem) {
      if (signal.aborted) {
        return;
      }
      if (problem.status === 401 || problem.status === 403) {
        ask(token.get() ? words(problem) : null);
        return;
      }
      isLive(false);
      say(problem.message);
    }
    await new Promise((resolve) => {
      onWait(resolve);
      const timer = setTimeout(resolve, REFRESH_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    await untilSeen(signal);
  }
}

function untilSeen(signal) {
  return new Promise((resolve) => {
    if (!document.hidden) {
      resolve();
      return;
    }
    document.addEventListener('visibilitychange', resolve, { once: true, signal });
    signal.addEventListener('abort', resolve);
  });
}

function isLive(yes) {
  const text = yes ? 'Live' : 'Not live';
  if (live.textContent !== text) {
    live.textContent = text;
    live.toggleAttribute('data-on', yes);
  }
}

/** Does what a button is for, says in words why not, and shows what came of it. */
async function act(verb, refresh) {
  try {
    await verb();
    refresh();
  } catch (problem) {
    say(problem.message);
  }
}

function say(text) {
  if (trouble.textContent !== text) {
    trouble.textContent = text;
  }
}

function ask(said) {
  running?.abort();
  token.forget();
  document.title = 'Stint';
  nav.hidden = true;
  session.hidden = true;
  say('');
  put(main, tokenForm(said, () => open(false)));
  document.getElementById('token').focus();
}

function open(isFirst) {
  nav.hidden = false;
  session.hidden = false;
  show(isFirst);
}

document.getElementById('leave').addEventListener('click', () => ask('The token is forgotten.'));
addEventListener('hashchange', () => nav.hidden || show(false));
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
setInterval(tick, 1000);
open(true);
