// Puts the page together: which view the address names, and what keeps it fresh.

import { token, withQuery } from './api.js';
import { dead } from './dead.js';
import { h, put } from './dom.js';
import { events } from './events.js';
import { tick } from './format.js';
import { job } from './job.js';
import { jobs } from './jobs.js';
import { overview } from './overview.js';
import { follow, listen, overviewNow, pause } from './pulse.js';
import { queues } from './queues.js';
import { askForToken, isDefault, needsNoToken, whyNot } from './token.js';
import { workers } from './workers.js';

const PAGES = [
  ['', 'Overview', overview],
  ['jobs', 'Jobs', jobs],
  ['queues', 'Queues', queues],
  ['workers', 'Workers', workers],
  ['dead', 'Dead letters', dead],
  ['events', 'Events', events],
];
/** Even a busy fleet is looked at no oftener than this. */
const GAP_MS = 1000;
/** Some things, such as when a worker was last seen, change without being told. */
const SLOW_MS = 15_000;
/** So many times as long as an answer took it is not asked for again, up to the second: the server is there for others. */
const REST = 9;
const LONGEST_REST_MS = 60_000;

const main = document.getElementById('main');
const area = document.getElementById('view');
const nav = document.getElementById('nav');
const session = document.getElementById('session');
const live = document.getElementById('live');
const forget = document.getElementById('leave');
const trouble = document.getElementById('trouble');

let watching = null;
let viewing = null;
/** The path that is shown, without its query. */
let shown = null;
/** What could not be done stays to be read; that the server is away passes by itself. */
const said = { verb: '', server: '' };

/** Where the address leads: `#/jobs/ID`, `#/jobs?status=FAILED`. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [page, id] = path.split('/').map(decoded);
  return { page, id, query: new URLSearchParams(query) };
}

/** A part of an address, or as it stands if it was typed in wrong. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function go(path, parameters) {
  location.hash = '#/' + withQuery(path, parameters);
}

function show(isFirst) {
  viewing?.abort();
  viewing = new AbortController();
  const y = history.state?.y;
  const { page, id, query } = place();
  const path = `${page}/${id ?? ''}`;
  const focused = path === shown && document.activeElement?.id;
  shown = path;
  const make = page === 'jobs' && id ? job : PAGES.find(([name]) => name === page)?.[2];
  say({ verb: '', server: '' });
  put(
    nav,
    PAGES.map(([name, label]) =>
      h('a', { href: `#/${name}`, 'aria-current': name === page ? 'page' : null }, label),
    ),
  );
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const view = make
    ? make({ id, query, go, act: (verb) => act(verb, () => fresh.now()), refresh: () => fresh.soon() })
    : nowhere();
  document.title = `${view.tab ?? view.title} · Stint`;
  const title = h('h1', { tabindex: '-1' }, view.title);
  put(area, h('div', { class: 'title' }, title, view.subtitle), view.body);
  if (!isFirst && !(focused && focusAgain(focused))) {
    title.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  const fresh = keepFresh(view, viewing.signal, () => goBackTo(y));
}

/** Who comes back to a page goes on where they were, unless they have scrolled since. */
function goBackTo(y) {
  if (y > 0 && scrollY === 0) {
    scrollTo(0, y);
  }
}

/** Who fills in a filter goes on in the same field of the page that it led to. */
function focusAgain(id) {
  const field = area.querySelector(`#${CSS.escape(id)}`);
  field?.focus({ preventScroll: true });
  field?.select?.();
  return field !== null;
}

function nowhere() {
  return { title: 'Nothing is here', body: h('p', {}, h('a', { href: '#/' }, 'To the overview')) };
}

/**
 * Loads what the view shows now, when the fleet changed, and now and then; one call at a time. What
 * the server needs long for is asked for less often, but at once when somebody did something here.
 *
 * @param then called once all is shown
 * @returns `soon()` and `now()`, which load it again
 */
function keepFresh(view, signal, then) {
  let isShown = false;
  let isBusy = false;
  let isWanted = false;
  let isUrgent = false;
  let rest = null;

  async function load() {
    isWanted = true;
    if (isBusy || !view.load) {
      return;
    }
    isBusy = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      isUrgent = false;
      const started = performance.now();
      let least = GAP_MS;
      try {
        least = (await view.load(signal)) ? SLOW_MS : GAP_MS;
        say({ server: '' });
        isThere();
      } catch (problem) {
        inTrouble(problem, signal);
      }
      if (!isUrgent) {
        rest = new AbortController();
        const ms = Math.min(LONGEST_REST_MS, REST * (performance.now() - started));
        await pause(Math.max(least, ms), AbortSignal.any([signal, rest.signal]));
      }
    }
    isBusy = false;
  }

  function isThere() {
    if (!isShown && !signal.aborted) {
      isShown = true;
      then();
    }
  }

  if (overviewNow()) {
    view.hear?.(overviewNow());
  }
  if (!view.load) {
    isThere();
  }
  load();
  listen((fleet) => {
    view.hear?.(fleet);
    if (view.load) {
      load();
    } else {
      say({ server: '' });
    }
  }, signal);
  view.follow?.(signal);
  const timer = setInterval(() => document.hidden || load(), SLOW_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    soon: load,
    now() {
      isUrgent = true;
      load();
      rest?.abort();
    },
  };
}

function inTrouble(problem, signal) {
  if (signal.aborted) {
    return;
  }
  if (problem.isRefusal) {
    leave(whyNot(problem));
    return;
  }
  isLive(problem.status !== 0);
  say({ server: problem.message });
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
  say({ verb: '' });
  try {
    await verb();
    refresh();
  } catch (problem) {
    say({ verb: problem.message });
  }
}

function say(words) {
  Object.assign(said, words);
  const text = said.verb || said.server;
  if (trouble.textContent !== text) {
    trouble.textContent = text;
  }
}

function leave(said) {
  watching?.abort();
  viewing?.abort();
  put(area);
  document.title = 'Stint';
  nav.hidden = true;
  session.hidden = true;
  say({ verb: '', server: '' });
  askForToken(said, () => enter(false));
}

function enter(isFirst) {
  nav.hidden = false;
  session.hidden = false;
  forget.hidden = isDefault();
  watching = new AbortController();
  const { signal } = watching;
  follow(signal, {
    onHeard: () => isLive(true),
    onTrouble: (problem) => inTrouble(problem, signal),
  });
  show(isFirst);
}

forget.addEventListener('click', () => leave('The token is forgotten.'));
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener('hashchange', () => nav.hidden || show(false));
addEventListener('scrollend', () => history.replaceState({ y: scrollY }, ''));
setInterval(tick, 1000);

if (token.get() || (await needsNoToken())) {
  enter(true);
} else {
  leave(null);
}
