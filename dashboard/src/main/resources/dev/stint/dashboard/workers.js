// Who is there, and what they run.

import { get } from './api.js';
import { h } from './dom.js';
import { ago, number, shortId, state } from './format.js';
import { nothing, table } from './table.js';

export function workers() {
  const known = table({
    caption: 'Workers',
    columns: [
      { label: 'Worker', cell: (w) => h('a', { href: `#/jobs?worker_id=${encodeURIComponent(w.worker_id)}` }, w.worker_id) },
      { label: 'Status', cell: (w) => state(w.status) },
      { label: 'Runs', kind: 'wide', cell: holds },
      { label: 'Slots', kind: 'number', cell: (w) => number(w.slots) },
      { label: 'Capabilities', cell: (w) => w.worker_capabilities.join(', ') || '–' },
      { label: 'Last seen', kind: 'number', cell: (w) => ago(w.last_seen * 1000) },
    ],
    key: (w) => w.worker_id,
    empty: () =>
      nothing(
        'No worker has come yet.',
        'Start one, here or on another machine: ',
        h('code', {}, `stint worker --control-url ${location.origin}`),
      ),
  });

  return {
    title: 'Workers',
    body: [known.element],
    async load(signal) {
      known.show((await get('workers', signal)).workers);
    },
  };
}

function holds(worker) {
  return worker.current_job_ids.length === 0
    ? h('span', { class: 'muted' }, 'nothing')
    : worker.current_job_ids.map((id) => [
        h('a', { href: `#/jobs/${encodeURIComponent(id)}`, 'aria-label': `Job ${id}` }, shortId(id)),
        ' ',
      ]);
}
