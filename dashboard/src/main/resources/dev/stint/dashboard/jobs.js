// The jobs there are, newest first, by state and worker.

import { get, withQuery } from './api.js';
import { h, put } from './dom.js';
import { ago, shortId, state } from './format.js';
import { nothing, table } from './table.js';

const STATES = ['PENDING', 'ASSIGNED', 'RUNNING', 'LOST', 'RETRYING', 'COMPLETED', 'FAILED', 'ABORTED'];

export function jobs({ query, go }) {
  const found = jobTable(query.size > 0);
  const older = h('div', { class: 'pages' });
  const choice = h(
    'select',
    { id: 'status', name: 'status', onchange: filter },
    h('option', { value: '' }, 'All'),
    STATES.map((word) => h('option', { value: word, selected: query.get('status') === word }, word)),
  );
  const worker = h('input', {
    id: 'worker',
    name: 'worker',
    value: query.get('worker_id') ?? '',
    placeholder: 'any',
    onchange: filter,
  });

  function filter(event) {
    event?.preventDefault();
    go('jobs', { status: choice.value, worker_id: worker.value.trim() });
  }

  async function load(signal) {
    const page = await get(
      withQuery('jobs', {
        status: query.get('status'),
        worker_id: query.get('worker_id'),
        cursor: query.get('cursor'),
        limit: 50,
      }),
      signal,
    );
    found.show(page.jobs);
    const next = page.next_cursor;
    put(
      older,
      query.get('cursor') && h('a', { href: link({ cursor: '' }) }, 'Newest'),
      next && h('a', { href: link({ cursor: next }) }, 'Older'),
    );
  }

  function link(change) {
    return '#/' + withQuery('jobs', { ...Object.fromEntries(query), ...change });
  }

  return {
    title: 'Jobs',
    body: [
      h(
        'form',
        { class: 'filters', role: 'search', 'aria-label': 'Filter jobs', onsubmit: filter },
        h('div', {}, h('label', { for: 'status' }, 'Status'), choice),
        h('div', {}, h('label', { for: 'worker' }, 'Worker'), worker),
        h('button', { type: 'submit' }, 'Filter'),
        query.size > 0 && h('a', { href: '#/jobs' }, 'Show all'),
      ),
      found.element,
      older,
    ],
    load,
  };
}

/** Jobs as a table, here and on the overview. */
export function jobTable(isFiltered = false) {
  return table({
    caption: 'Jobs',
    columns: [
      {
        label: 'Job',
        cell: (job) =>
          h('a', { href: `#/jobs/${encodeURIComponent(job.job_id)}`, 'aria-label': `Job ${job.job_id}` }, shortId(job.job_id)),
      },
      { label: 'Status', cell: (job) => state(job.status) },
      { label: 'Runs', kind: 'wide', cell: commandLine },
      { label: 'Queue', cell: (job) => h('span', { class: 'mono' }, job.queue) },
      { label: 'Attempts', kind: 'number', cell: (job) => `${job.attempt_count} of ${job.max_attempts}` },
      { label: 'Worker', cell: (job) => job.worker_id ?? '–' },
      { label: 'Changed', kind: 'number', cell: (job) => ago(job.updated_at * 1000) },
    ],
    key: (job) => job.job_id,
    empty: () =>
      isFiltered
        ? nothing('No job fits this filter.', h('a', { href: '#/jobs' }, 'Show all jobs'))
        : nothing('There are no jobs yet.', 'Submit one: ', h('code', {}, 'stint submit -- echo hello')),
  });
}

function commandLine(job) {
  return job.command === null
    ? h('span', { class: 'muted' }, 'no command')
    : h('span', { class: 'mono clip' }, [job.command, ...(job.args ?? [])].join(' '));
}
