// One job: why it is where it is, what it says, its attempts, and all that happened to it.

import { get, post, withQuery } from './api.js';
import { ask } from './dialog.js';
import { h, putIfNew } from './dom.js';
import { ago, at, details, pretty, span, state, summary } from './format.js';
import { said } from './said.js';
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
  const documents = h('div', {});
  const says = said({ path: `${path}/events`, heard: refresh, isOver: () => isOver });
  const attempts = attemptTable();
  const timeline = timelineTable();
  const older = pager('Older events of this job', 'Older events');
  let isOver = false;

  async function load(signal) {
    const [whole, why] = await Promise.all([get(`${path}/timeline`, signal), get(`${path}/explain`, signal)]);
    const { error, result, payload, metadata, ...rest } = whole.job;
    putIfNew(head, rest.state, (word) => state(word));
    putIfNew(advance, [rest.state, rest.progress], () => progress(rest));
    putIfNew(verbs, rest.state, buttons);
    putIfNew(reasons, why.reasons, (all) => all.map(({ code, sentence }) => h('li', { 'data-code': code }, sentence)));
    putIfNew(facts, whole.job, rows);
    putIfNew(documents, { Error: error, Result: result, Payload: payload, Metadata: metadata }, texts);
    isOver = ENDED.includes(whole.job.state);
    attempts.show(whole.attempts);
    timeline.show([...whole.events].reverse());
    older.show(whole.next && '#/' + withQuery('events', { job_id: id, cursor: whole.next }));
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
    subtitle: h('span', { class: 'mono' }, id),
    body: [
      h('div', { class: 'card' }, h('div', { class: 'facts-head' }, head, advance, verbs), reasons, facts),
      says.body,
      documents,
      h('section', {}, h('h2', {}, 'Attempts'), attempts.element),
      h('section', {}, h('h2', {}, 'Timeline'), timeline.element, older.element),
    ],
    load,
    follow: says.follow,
  };
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
    ['Runs', code(summary(found)), 'broad'],
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
        h('pre', { tabindex: '0', role: 'region', 'aria-label': label }, pretty(value)),
      ),
    );
}

function attemptTable() {
  return table({
    caption: 'Attempts',
    columns: [
      { label: 'Attempt', cell: (a) => String(a.attempt) },
      { label: 'Outcome', cell: (a) => state(a.outcome ?? 'RUNNING') },
      { label: 'Worker', kind: 'name', cell: (a) => a.worker_id ?? '–' },
      { label: 'Started', kind: 'number', cell: (a) => ago(a.started_ms ?? a.claimed_ms) },
      { label: 'Took', kind: 'number', cell: (a) => (a.ended_ms && a.started_ms ? took(a.ended_ms - a.started_ms) : '–') },
      { label: 'Fence', kind: 'number', cell: (a) => String(a.fence) },
      { label: 'Error', kind: 'wide', cell: (a) => a.error && h('span', { class: 'clip' }, a.error.message ?? pretty(a.error)) },
    ],
    key: (a) => a.fence,
    empty: () => nothing('No worker has taken it yet.', 'What keeps it is said above.'),
  });
}

function took(ms) {
  return ms < 1000 ? `${ms} ms` : span(ms);
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
