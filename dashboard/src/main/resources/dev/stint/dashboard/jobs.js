// The jobs there are, newest first, as the filter in the address wants them.

import { get, withQuery } from './api.js';
import { bulkButtons } from './bulk.js';
import { h } from './dom.js';
import { ago, jobLink, serverNow, state, summary } from './format.js';
import { overviewNow } from './pulse.js';
import { nothing, pager, table } from './table.js';

const STATES = ['PENDING', 'ASSIGNED', 'RUNNING', 'LOST', 'RETRYING', 'COMPLETED', 'FAILED', 'ABORTED'];
/** The states that count as one on the overview, and in the queues. */
export const WAITING = 'PENDING,RETRYING';
export const HELD = 'ASSIGNED,RUNNING,LOST';
const STATUS_CHOICES = [
  ['', 'All'],
  [WAITING, 'All that wait'],
  [HELD, 'All that run'],
  ...STATES.map((word) => [word, word]),
];
const SPANS = { '1h': ['Last hour', 3_600_000], '24h': ['Last day', 86_400_000], '7d': ['Last week', 604_800_000] };
const TEXTS = [
  ['queue', 'Queue'],
  ['task', 'Task'],
  ['worker', 'Worker'],
  ['text', 'Text in metadata'],
];
const LIMIT = 50;
/** A look that found nothing has still gone over some jobs; so often it looks further by itself. */
const MOST_LOOKS = 5;

export function jobs({ query, go, act }) {
  const wanted = Object.fromEntries([...query].filter(([name]) => name !== 'cursor'));
  const isFiltered = Object.keys(wanted).length > 0;
  const found = jobTable(isFiltered);
  const pages = pager('Pages of jobs', 'Newest', 'Older');

  /** Tells whether the server went over many jobs for few, and shall not do so all the time. */
  async function load(signal) {
    let cursor = query.get('cursor');
    let page;
    let looks = 0;
    do {
      page = await get(withQuery('v1/jobs', { ...filter(wanted), cursor, limit: LIMIT }), signal);
      cursor = page.next;
    } while (page.jobs.length === 0 && cursor && ++looks < MOST_LOOKS);
    found.show(page.jobs);
    pages.show(
      query.get('cursor') && link(wanted),
      page.next && link({ ...wanted, cursor: page.next }),
    );
    return page.next !== null && page.jobs.length < LIMIT;
  }

  return {
    title: 'Jobs',
    body: [
      form(wanted, isFiltered, (values) => go('jobs', values)),
      isFiltered && bulkButtons({ status: wanted.status, filter: () => filter(wanted), act }),
      found.element,
      pages.element,
    ],
    load,
  };
}

function link(parameters) {
  return '#/' + withQuery('jobs', parameters);
}

/** What the API is asked for: the address says “the last hour”, the API wants a time. */
function filter({ since, ...rest }) {
  return SPANS[since] ? { ...rest, since_ms: Math.floor(serverNow() - SPANS[since][1]) } : rest;
}

function form(wanted, isFiltered, then) {
  const element = h(
    'form',
    { class: 'filters', role: 'search', 'aria-label': 'Filter jobs', onsubmit: apply, onchange: apply },
    choice('status', 'Status', STATUS_CHOICES, wanted.status),
    TEXTS.map(([name, label]) =>
      h(
        'div',
        {},
        h('label', { for: `by-${name}` }, label),
        h('input', { id: `by-${name}`, name, value: wanted[name] ?? '', list: name === 'queue' && 'queues' }),
      ),
    ),
    choice('since', 'Submitted', [['', 'Any time'], ...Object.entries(SPANS).map(([key, [label]]) => [key, label])], wanted.since),
    h('datalist', { id: 'queues' }, (overviewNow()?.queues ?? []).map((queue) => h('option', { value: queue.queue }))),
    h('button', { id: 'filter', type: 'submit' }, 'Filter'),
    isFiltered && h('a', { href: '#/jobs' }, 'Show all'),
  );
  function apply(event) {
    event.preventDefault();
    then(Object.fromEntries([...new FormData(element)].map(([name, value]) => [name, value.trim()])));
  }
  return element;
}

/** What the address asks for is among the options, even if it was typed in. */
function choice(name, label, known, chosen = '') {
  const options = known.some(([value]) => value === chosen) ? known : [...known, [chosen, chosen]];
  return h(
    'div',
    {},
    h('label', { for: `by-${name}` }, label),
    h(
      'select',
      { id: `by-${name}`, name },
      options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
    ),
  );
}

/** Jobs as a table, here and on the overview. */
export function jobTable(isFiltered = false) {
  return table({
    caption: 'Jobs',
    columns: [
      { label: 'Job', cell: (job) => jobLink(job.job_id) },
      { label: 'Status', cell: (job) => state(job.state) },
      { label: 'Runs', kind: 'wide', cell: (job) => h('span', { class: 'mono clip' }, summary(job)) },
      { label: 'Queue', kind: 'name', cell: (job) => h('span', { class: 'mono' }, job.queue) },
      { label: 'Attempts', kind: 'number', cell: (job) => `${job.attempt} of ${job.max_attempts}` },
      { label: 'Worker', kind: 'name', cell: (job) => job.worker_id ?? job.last_worker_id ?? '–' },
      { label: 'Changed', kind: 'number', cell: (job) => ago(job.updated_ts) },
    ],
    key: (job) => job.job_id,
    empty: () =>
      isFiltered
        ? nothing('No job fits this filter.', h('a', { href: '#/jobs' }, 'Show all jobs'))
        : nothing('There are no jobs yet.', 'Submit one: ', h('code', {}, 'stint submit -- echo hello')),
  });
}
