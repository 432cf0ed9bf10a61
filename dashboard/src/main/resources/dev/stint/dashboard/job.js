// One job: why it is where it is, what it says, its attempts, and all that happened to it.

import { get, post, withQuery } from './api.js';
import { ask } from './dialog.js';
import { h, put, putIfNew } from './dom.js';
import {
  age,
  ago,
  at,
  beginning,
  details,
  legible,
  pretty,
  SHORT,
  shortId,
  state,
  summary,
  took,
  unfolding,
} from './format.js';
import { said } from './said.js';
import { strip } from './strip.js';
import { nothing, pager, table } from './table.js';

const ENDED = ['COMPLETED', 'FAILED', 'ABORTED'];

const VERBS = {
  retry: {
    label: 'Retry',
    tone: 'main',
    title: 'Retry this job?',
    text: 'It waits again, with a fresh budget of attempts.',
    action: 'Retry 1 job',
  },
  cancel: {
    label: 'Cancel',
    tone: 'danger',
    title: 'Cancel this job?',
    text: 'If it runs, its worker is asked to stop and has a while to do so; else it ends at once.',
    action: 'Cancel 1 job',
  },
  abort: {
    label: 'Abort',
    tone: 'danger',
    title: 'Abort this job?',
    text: 'It ends at once, and what its worker reports later does not count.',
    action: 'Abort 1 job',
  },
};

export function job({ id, act, refresh }) {
  const path = `v1/jobs/${encodeURIComponent(id)}`;
  const head = h('span', {});
  const advance = h('span', { class: 'advance' });
  const verbs = h('div', { class: 'actions' });
  const reasons = h('ul', { class: 'reasons', 'aria-label': 'Why it is there' });
  const facts = h('dl', { class: 'facts' });
  const outcome = h('div', {});
  const given = h('div', {});
  const says = said({ path: `${path}/events`, heard: refresh, isOver: () => isOver });
  const times = strip();
  const attempts = attemptTable();
  const timeline = timelineTable();
  const older = pager('Older events of this job', 'Older events');
  const whole = h(
    'div',
    {},
    h('div', { class: 'card' }, h('div', { class: 'facts-head' }, head, advance, verbs), reasons, facts),
    outcome,
    says.body,
    given,
    h('section', {}, h('h2', {}, 'Attempts'), times.element, attempts.element),
    h('section', {}, h('h2', {}, 'Timeline'), timeline.element, older.element),
  );
  let isOver = false;
  let isKnown = false;

  async function load(signal) {
    const all = await read(signal);
    if (all === null) {
      put(whole, h('div', { class: 'card empty' }, gone()));
      return true;
    }
    isKnown = true;
    const [found, why] = all;
    const { error, result, payload, metadata, ...rest } = found.job;
    putIfNew(head, rest.state, (word) => state(word));
    putIfNew(advance, [rest.state, rest.progress], () => progress(rest));
    putIfNew(verbs, rest.state, buttons);
    putIfNew(reasons, why.reasons, (all) => all.map(({ code, sentence }) => h('li', { 'data-code': code }, sentence)));
    putIfNew(facts, found.job, rows);
    putIfNew(outcome, { Error: error, Result: result }, texts);
    putIfNew(given, { Payload: payload, Metadata: metadata }, texts);
    isOver = ENDED.includes(found.job.state);
    times.show(found.events);
    attempts.show(found.attempts);
    timeline.show([...found.events].reverse());
    older.show(found.next && '#/' + withQuery('events', { job_id: id, cursor: found.next }));
    return false;
  }

  /** Null if there is no such job; what goes away while somebody reads it stays to be read. */
  async function read(signal) {
    try {
      return await Promise.all([get(`${path}/timeline`, signal), get(`${path}/explain`, signal)]);
    } catch (problem) {
      if (problem.status === 404 && !isKnown) {
        return null;
      }
      throw problem;
    }
  }

  function buttons(word) {
    const fitting = ENDED.includes(word) ? (word === 'COMPLETED' ? [] : ['retry']) : ['cancel', 'abort'];
    return fitting.map((verb) =>
      h('button', { type: 'button', class: VERBS[verb].tone, onclick: () => act(() => carryOut(verb)) }, VERBS[verb].label),
    );
  }

  async function carryOut(verb) {
    if (await ask(VERBS[verb])) {
      await post(`${path}/${verb}`);
    }
  }

  return {
    title: 'Job',
    tab: `Job ${shortId(id)}`,
    subtitle: h('span', { class: 'mono' }, id),
    body: whole,
    load,
    follow: says.follow,
  };
}

function gone() {
  return nothing(
    'There is no such job.',
    'It may have been removed: a job that has ended is kept for a while only. ',
    h('a', { href: '#/jobs' }, 'All jobs'),
  );
}

function progress(found) {
  return (
    found.progress !== null &&
    !ENDED.includes(found.state) && [
      h('progress', { max: 100, value: found.progress, 'aria-label': 'Progress' }),
      h('span', { class: 'muted' }, `${found.progress} %`),
    ]
  );
}

function rows(found) {
  const all = [
    ['Runs', code(beginning(summary(found))), 'broad'],
    ['Queue', h('a', { class: 'mono', href: `#/jobs?queue=${encodeURIComponent(found.queue)}` }, found.queue)],
    ['Priority', String(found.priority)],
    ['Attempts', `${found.attempt} of ${found.max_attempts}`],
    ['Worker', found.worker_id ?? found.last_worker_id],
    ['Requires', found.requirements?.join(', ')],
    ['Not before', found.scheduled_at && at(found.scheduled_at * 1000)],
    ['Submitted', [at(found.created_ts), h('span', { class: 'note' }, ago(found.created_ts))]],
    ['Changed', ago(found.updated_ts)],
    ['Says', found.message],
    ['Contract', found.contract],
  ];
  return all
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([label, value, kind]) => h('div', { class: kind }, h('dt', {}, label), h('dd', {}, value)));
}

function code(text) {
  return h('code', {}, text);
}

/** What it was given, and what came of it. */
function texts(all) {
  return Object.entries(all)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([label, value]) =>
      h(
        'details',
        { class: 'document', open: label === 'Error' || label === 'Result' },
        h('summary', {}, label),
        h('pre', { tabindex: '0', role: 'region', 'aria-label': label }, label === 'Error' ? legible(value) : pretty(value)),
      ),
    );
}

function attemptTable() {
  return table({
    caption: 'Attempts',
    columns: [
      { label: 'Attempt', cell: (a) => String(a.attempt) },
      { label: 'Outcome', cell: (a) => state(a.outcome ?? (a.started_ms ? 'RUNNING' : 'ASSIGNED')) },
      { label: 'Worker', kind: 'name', cell: (a) => a.worker_id ?? '–' },
      { label: 'Began', kind: 'number', cell: (a) => at(a.started_ms ?? a.claimed_ms) },
      { label: 'Took', kind: 'number', cell: duration },
      { label: 'Fence', kind: 'number', cell: (a) => String(a.fence) },
      { label: 'Error', kind: 'wide', cell: (a) => a.error && failure(a.error) },
    ],
    key: (a) => a.fence,
    empty: () => nothing('No worker has taken it yet.', 'What keeps it is said above.'),
  });
}

function duration({ started_ms: from, ended_ms: until }) {
  return from ? (until ? took(until - from) : age(from)) : '–';
}

/** Its message, which unfolds to all that was said. */
function failure(error) {
  const message = error.message ?? JSON.stringify(error);
  const isAll = Object.keys(error).length === 1 && String(message).length < SHORT;
  return unfolding(h('span', { class: 'clip' }, beginning(String(message))), !isAll && legible(error));
}

function timelineTable() {
  return table({
    caption: 'Timeline, newest first',
    columns: [
      { label: 'When', cell: (e) => at(e.at_ms) },
      { label: 'Event', cell: (e) => h('span', { class: 'mono' }, e.type) },
      { label: 'State', cell: (e) => (e.to ? state(e.to) : '–') },
      { label: 'Attempt', kind: 'number', cell: (e) => (e.attempt ? String(e.attempt) : '–') },
      { label: 'Worker', kind: 'name', cell: (e) => e.worker_id ?? '–' },
      { label: 'Details', kind: 'wide', cell: (e) => details(e.reason, e.data) },
    ],
    key: (e) => e.seq,
    empty: () => nothing('Nothing has happened yet.'),
  });
}
