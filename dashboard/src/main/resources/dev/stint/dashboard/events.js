// The audit trail: all that happened, newest first.

import { get, withQuery } from './api.js';
import { h, put } from './dom.js';
import { ago, shortId, state } from './format.js';
import { nothing, table } from './table.js';

const FILTERS = [
  ['event', 'Event', 'e.g. failed'],
  ['job_id', 'Job', 'id'],
  ['worker_id', 'Worker', 'id'],
];

export function events({ query, go }) {
  const found = eventTable({});
  const older = h('div', { class: 'pages' });
  const inputs = FILTERS.map(([name, , placeholder]) =>
    h('input', { id: `by-${name}`, name, placeholder, value: query.get(name) ?? '', onchange: filter }),
  );

  function filter(event) {
    event?.preventDefault();
    go('events', Object.fromEntries(inputs.map((input) => [input.name, input.value.trim()])));
  }

  async function load(signal) {
    const page = await get(withQuery('events', { ...Object.fromEntries(query), limit: 100 }), signal);
    found.show(page.events);
    put(
      older,
      query.get('cursor') && h('a', { href: link('') }, 'Newest'),
      page.next_cursor && h('a', { href: link(page.next_cursor) }, 'Older'),
    );
  }

  function link(cursor) {
    return '#/' + withQuery('events', { ...Object.fromEntries(query), cursor });
  }

  return {
    title: 'Events',
    body: [
      h(
        'form',
        { class: 'filters', role: 'search', 'aria-label': 'Filter events', onsubmit: filter },
        FILTERS.map(([name, label], i) => h('div', {}, h('label', { for: `by-${name}` }, label), inputs[i])),
        h('button', { type: 'submit' }, 'Filter'),
        query.size > 0 && h('a', { href: '#/events' }, 'Show all'),
      ),
      found.element,
      older,
    ],
    load,
  };
}

/** Events as a table, here and on the page of a job. */
export function eventTable({ isOfOneJob = false }) {
  return table({
    caption: 'Events',
    columns: [
      { label: 'When', cell: (e) => ago(e.ts * 1000) },
      { label: 'Event', cell: (e) => h('span', { class: 'level', 'data-level': e.level }, e.event) },
      !isOfOneJob && { label: 'Job', cell: (e) => (e.job_id ? jobLink(e.job_id) : '–') },
      { label: 'State', cell: (e) => (e.details.to ? state(e.details.to) : '–') },
      { label: 'Worker', cell: (e) => e.worker_id ?? '–' },
      { label: 'Details', kind: 'wide', cell: details },
    ].filter(Boolean),
    key: (e) => e.id,
    empty: () => nothing('No such event.', 'Each change of a job leaves one here.'),
  });
}

function jobLink(id) {
  return h('a', { href: `#/jobs/${encodeURIComponent(id)}`, 'aria-label': `Job ${id}` }, shortId(id));
}

function details(event) {
  const { reason, data } = event.details;
  return [reason, data === undefined ? null : h('code', { class: 'clip' }, JSON.stringify(data))]
    .filter(Boolean)
    .flatMap((part) => [part, ' ']);
}
