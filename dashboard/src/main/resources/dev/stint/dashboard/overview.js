// What the fleet does, at a glance.

import { get, withQuery } from './api.js';
import { h, put } from './dom.js';
import { number } from './format.js';
import { jobTable } from './jobs.js';
import { nothing, table } from './table.js';

/** Queues that exist from the start; others are found among the newest jobs. */
const QUEUES = ['commands', 'tasks', 'jobs:stream'];
const MOST_QUEUES = 20;

export function overview() {
  const tiles = h('dl', { class: 'tiles' });
  const queues = table({
    caption: 'Queues',
    columns: [
      { label: 'Queue', cell: (q) => h('span', { class: 'mono' }, q.queue) },
      { label: 'Pending', kind: 'number', cell: (q) => number(q.pending) },
      { label: 'Processing', kind: 'number', cell: (q) => number(q.processing) },
      { label: 'Failed', kind: 'number', cell: (q) => number(q.failed) },
      { label: 'Done per minute', kind: 'number', cell: (q) => number(q.throughput_per_min) },
      { label: 'Error rate', kind: 'number', cell: (q) => percent(q.error_rate) },
    ],
    key: (q) => q.queue,
    empty: () => nothing('No queue has a job yet.', 'Submit one: ', h('code', {}, 'stint submit -- echo hello')),
  });
  const newest = jobTable();

  async function load(signal) {
    const { jobs } = await get('jobs?limit=100', signal);
    const names = [...new Set([...QUEUES, ...jobs.map((job) => job.queue)])].slice(0, MOST_QUEUES);
    const figures = await Promise.all(
      names.map(async (queue) => ({
        queue,
        ...(await get(withQuery('api/v1/admin/queue/stats', { queue }), signal)),
      })),
    );
    const sum = (name) => figures.reduce((total, figure) => total + figure[name], 0);
    put(
      tiles,
      tile('Pending', sum('pending')),
      tile('Processing', sum('processing')),
      tile('Failed', sum('failed'), sum('failed') > 0 ? 'bad' : null),
      tile('Done per minute', sum('throughput_per_min')),
      tile('Workers online', figures[0].active_workers),
    );
    queues.show(figures.filter((f) => f.pending + f.processing + f.failed + f.throughput_per_min > 0));
    newest.show(jobs.slice(0, 10));
  }

  return {
    title: 'Overview',
    body: [
      tiles,
      section('Queues', queues.element),
      section('Newest jobs', newest.element),
    ],
    load,
  };
}

function section(title, ...content) {
  return h('section', {}, h('h2', {}, title), content);
}

function tile(label, value, tone) {
  return h('div', { class: 'tile', 'data-tone': tone }, h('dt', {}, label), h('dd', {}, number(value)));
}

function percent(rate) {
  return `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)} %`;
}
