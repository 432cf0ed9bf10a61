// The audit trail: all that happened, newest first.

import { get, withQuery } from './api.js';
import { h } from './dom.js';
import { ago, at, details, jobLink, state } from './format.js';
import { nothing, pager, table } from './table.js';

/** What there is to choose from; others can be typed in. */
const EVENTS =
  'submitted due assigned claimed started assignment_expired progress output emitted completed failed retry_scheduled released ' +
  'lost recovered requeued exhausted cancel_requested cancelled aborted cancel_timed_out deadline_exceeded replayed late_result ' +
  'report_refused worker_registered worker_reconnected worker_refused worker_revoked worker_offline worker_online ' +
  'worker_draining worker_resumed queue_paused queue_resumed';
const FILTERS = [
  ['event', 'Event', 'e.g. failed'],
  ['job_id', 'Job', 'id'],
  ['worker_id', 'Worker', 'id'],
];

export function events({ query, go }) {
  const found = eventTable();
  const pages = pager('Pages of events', 'Newest', 'Older');
  const wanted = Object.fromEntries(query);
  const isFiltered = FILTERS.some(([name]) => wanted[name]);

  function apply(event) {
    event.preventDefault();
    go('events', Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()])));
  }

  const form = h(
    'form',
    { class: 'filters', role: 'search', 'aria-label': 'Filter events', onsubmit: apply, onchange: apply },
    FILTERS.map(([name, label, placeholder]) =>
      h(
        'div',
        {},
        h('label', { for: `by-${name}` }, label),
        h('input', { id: `by-${name}`, name, placeholder, value: wanted[name] ?? '', list: name === 'event' && 'event-names' }),
      ),
    ),
    h('datalist', { id: 'event-names' }, EVENTS.split(' ').map((name) => h('option', { value: name }))),
    h('button', { id: 'filter', type: 'submit' }, 'Filter'),
    isFiltered && h('a', { href: '#/events' }, 'Show all'),
  );

  return {
    title: 'Events',
    body: [form, found.element, pages.element],
    async load(signal) {
      const page = await get(withQuery('events', { ...wanted, limit: 100 }), signal);
      found.show(page.events);
      pages.show(wanted.cursor && link(''), page.next_cursor && link(page.next_cursor));
    },
  };

  function link(cursor) {
    return '#/' + withQuery('events', { ...wanted, cursor });
  }
}

function eventTable() {
  return table({
    caption: 'Events',
    columns: [
      { label: 'When', cell: (e) => [at(e.ts * 1000), h('span', { class: 'note' }, ago(e.ts * 1000))] },
      { label: 'Event', cell: (e) => h('span', { class: 'level mono', 'data-level': e.level }, e.event) },
      { label: 'Job', cell: (e) => (e.job_id ? jobLink(e.job_id) : '–') },
      { label: 'State', cell: (e) => (e.details.to ? state(e.details.to) : '–') },
      { label: 'Worker', kind: 'name', cell: (e) => e.worker_id ?? '–' },
      { label: 'Details', kind: 'wide', cell: (e) => details(e.details.reason, e.details.data) },
    ],
    key: (e) => e.id,
    empty: () => nothing('No such event.', 'Each change of a job leaves one here.'),
  });
}
