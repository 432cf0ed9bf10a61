// What the fleet does, at a glance.

import { get } from './api.js';
import { chart } from './chart.js';
import { h, put } from './dom.js';
import { age, jobLink, number, plural } from './format.js';
import { jobTable } from './jobs.js';
import { queuesOf, queueTable } from './queues.js';

const NEWEST = 8;

export function overview({ act }) {
  const tiles = h('dl', { class: 'tiles' });
  const hour = chart();
  const queues = queueTable({ act });
  const newest = jobTable();

  return {
    title: 'Overview',
    body: [
      tiles,
      section('Throughput', hour.element),
      section('Queues', queues.element),
      section('Newest jobs', newest.element),
    ],
    hear(fleet) {
      put(tiles, figures(fleet));
      hour.show(fleet.series);
      queues.show(queuesOf(fleet));
    },
    async load(signal) {
      newest.show((await get(`v1/jobs?limit=${NEWEST}`, signal)).jobs);
    },
  };
}

function section(title, ...content) {
  return h('section', {}, h('h2', {}, title), content);
}

function figures({ states, workers, oldest_waiting: oldest, queues }) {
  const count = (...words) => words.reduce((total, word) => total + (states[word] ?? 0), 0);
  const perMinute = queues.reduce((total, queue) => total + queue.completed_per_min, 0);
  const paused = queues.filter((queue) => queue.paused).length;
  return [
    tile({
      label: 'Waiting',
      value: number(count('PENDING', 'RETRYING')),
      href: '#/jobs?status=PENDING',
      note: paused > 0 ? `${plural(paused, 'queue')} paused` : null,
    }),
    tile({ label: 'Running', value: number(count('ASSIGNED', 'RUNNING', 'LOST')), href: '#/jobs?status=RUNNING' }),
    tile({
      label: 'Failed',
      value: number(count('FAILED')),
      href: '#/dead',
      tone: count('FAILED') > 0 ? 'bad' : null,
    }),
    tile({ label: 'Completed per minute', value: number(perMinute) }),
    tile({
      label: 'Workers online',
      value: number(workers.online),
      href: '#/workers',
      note: others(workers),
      tone: workers.online === 0 && count('PENDING') > 0 ? 'bad' : null,
    }),
    tile({
      label: 'Oldest waiting job',
      value: oldest ? age(oldest.since_ms) : '–',
      note: oldest ? jobLink(oldest.job_id) : 'nothing waits',
    }),
  ];
}

function others({ offline, draining }) {
  const parts = [draining > 0 && `${number(draining)} draining`, offline > 0 && `${number(offline)} offline`];
  return parts.filter(Boolean).join(', ') || null;
}

function tile({ label, value, note, href, tone }) {
  return h(
    'div',
    { class: 'tile', 'data-tone': tone },
    h('dt', {}, href ? h('a', { href }, label) : label),
    h('dd', {}, value),
    note && h('dd', { class: 'note' }, note),
  );
}
