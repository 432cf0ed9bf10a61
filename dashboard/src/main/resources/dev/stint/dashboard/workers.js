// Who is there, what they run, and whether they take more.

import { get, post, withQuery } from './api.js';
import { ask } from './dialog.js';
import { h } from './dom.js';
import { ago, jobLink, number, plural, state } from './format.js';
import { HELD } from './jobs.js';
import { nothing, pager, table } from './table.js';

/** So many jobs of a worker are named; it may have hundreds. */
const MOST_NAMED = 6;

export function workers({ query, act }) {
  const known = table({
    caption: 'Workers',
    columns: [
      { label: 'Worker', kind: 'name', cell: who },
      { label: 'Status', cell: (w) => state(status(w)) },
      { label: 'Slots', kind: 'number', cell: slots },
      { label: 'Runs', kind: 'name', cell: holds },
      { label: 'Capabilities', kind: 'name', cell: (w) => w.capabilities.join(', ') || '–' },
      { label: 'Last seen', kind: 'number', cell: (w) => ago(w.last_seen_ms) },
      { label: 'Action', kind: 'action', cell: (w) => button(w, act) },
    ],
    key: (w) => w.worker_id,
    empty: () =>
      nothing(
        'No worker has come yet.',
        'Start one, here or on another machine: ',
        h('code', {}, `stint worker --control-url ${location.origin}`),
      ),
  });
  const pages = pager('Pages of workers', 'First', 'More');

  return {
    title: 'Workers',
    body: [known.element, pages.element],
    async load(signal) {
      const page = await get(withQuery('v1/workers', { cursor: query.get('cursor') }), signal);
      known.show(page.workers);
      pages.show(
        query.get('cursor') && '#/workers',
        page.next && '#/' + withQuery('workers', { cursor: page.next }),
      );
    },
  };
}

function who(worker) {
  return [
    h('a', { href: jobsOf(worker) }, worker.worker_id),
    worker.name && worker.name !== worker.worker_id && h('span', { class: 'note' }, worker.name),
  ];
}

/** One that has gone drains no more, though it would still get no jobs if it came back. */
function status(worker) {
  return worker.draining && worker.status === 'ONLINE' ? 'DRAINING' : worker.status;
}

function jobsOf(worker, status) {
  return '#/' + withQuery('jobs', { worker: worker.worker_id, status });
}

/** A worker that never said how many slots it has may have more jobs than the one that is assumed. */
function slots({ holds: { length }, slots: all }) {
  return length > all ? number(length) : `${length} of ${all}`;
}

function holds(worker) {
  if (worker.holds.length === 0) {
    return h('span', { class: 'muted' }, 'nothing');
  }
  const named = worker.holds.length > MOST_NAMED ? worker.holds.slice(0, MOST_NAMED - 1) : worker.holds;
  const others = worker.holds.length - named.length;
  return [
    named.map((id) => [jobLink(id), ' ']),
    others > 0 && h('a', { href: jobsOf(worker, HELD) }, `and ${number(others)} more`),
  ];
}

function button(worker, act) {
  const label = worker.draining ? 'Resume' : 'Drain';
  return h(
    'button',
    {
      type: 'button',
      class: 'small',
      'aria-label': `${label} worker ${worker.worker_id}`,
      onclick: () => act(() => (worker.draining ? resume(worker) : drain(worker))),
    },
    label,
  );
}

function goesOn({ holds }) {
  return holds.length === 0
    ? 'It runs nothing now.'
    : `The ${holds.length === 1 ? 'job' : plural(holds.length, 'job')} it runs may end in peace.`;
}

async function drain(worker) {
  const agreed = await ask({
    title: `Drain worker ${worker.worker_id}?`,
    text: `It gets no more jobs until it is resumed. ${goesOn(worker)}`,
    action: 'Drain',
    tone: 'main',
  });
  if (agreed) {
    await post(path(worker, 'drain'));
  }
}

function resume(worker) {
  return post(path(worker, 'resume'));
}

function path(worker, verb) {
  return `v1/workers/${encodeURIComponent(worker.worker_id)}/${verb}`;
}
