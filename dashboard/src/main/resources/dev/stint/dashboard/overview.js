// What the fleet does, at a glance.

import { get } from './api.js';
import { chart } from './chart.js';
import { h, putIfNew } from './dom.js';
import { age, jobLink, number, plural } from './format.js';
import { HELD, jobTable, WAITING } from './jobs.js';
import { mostPressing, queuesOf, queueTable } from './queues.js';

const NEWEST = 8;
/** Where there are more queues than this, those that need a look come first, and a link leads to the others. */
const MOST_QUEUES = 10;

/** What each tile leads to, and what it reads from the fleet: a `value` or the time `since` when, and a `note` or a `job`. */
const TILES = [
  {
    label: 'Waiting',
    href: `#/jobs?status=${WAITING}`,
    read: (fleet) => {
      const paused = fleet.queues.filter((queue) => queue.paused).length;
      return {
        value: number(count(fleet, WAITING)),
        note: paused > 0 ? `${plural(paused, 'queue')} paused` : null,
      };
    },
  },
  {
    label: 'Running',
    href: `#/jobs?status=${HELD}`,
    read: (fleet) => ({ value: number(count(fleet, HELD)) }),
  },
  {
    label: 'Failed',
    href: '#/dead',
    read: (fleet) => ({ value: number(count(fleet, 'FAILED')), isBad: count(fleet, 'FAILED') > 0 }),
  },
  {
    label: 'Completed per minute',
    read: ({ queues }) => ({ value: number(queues.reduce((total, queue) => total + queue.completed_per_min, 0)) }),
  },
  {
    label: 'Workers online',
    href: '#/workers',
    read: (fleet) => ({
      value: number(fleet.workers.online),
      note: others(fleet.workers),
      isBad: fleet.workers.online === 0 && count(fleet, 'PENDING') > 0,
    }),
  },
  {
    label: 'Oldest waiting job',
    read: ({ oldest_waiting: oldest }) =>
      oldest ? { since: oldest.since_ms, job: oldest.job_id } : { value: '–', note: 'nothing waits' },
  },
];

export function overview({ act }) {
  const tiles = TILES.map(tile);
  const hour = chart();
  const queues = queueTable({ act });
  const newest = jobTable();
  const allQueues = h('a', { href: '#/queues' });
  const more = h('p', { class: 'pages', hidden: true }, allQueues);

  return {
    title: 'Overview',
    body: [
      h('dl', { class: 'tiles' }, tiles.map((one) => one.element)),
      section('Throughput', hour.element),
      section('Queues', queues.element, more),
      section('Newest jobs', newest.element),
    ],
    hear(fleet) {
      tiles.forEach((one) => one.show(fleet));
      hour.show(fleet.series);
      const all = queuesOf(fleet);
      queues.show(all.length > MOST_QUEUES ? mostPressing(all, MOST_QUEUES) : all);
      more.hidden = all.length <= MOST_QUEUES;
      putIfNew(allQueues, all.length, (many) => `All ${number(many)} queues`);
    },
    async load(signal) {
      newest.show((await get(`v1/jobs?limit=${NEWEST}`, signal)).jobs);
    },
  };
}

function section(title, ...content) {
  return h('section', {}, h('h2', {}, title), content);
}

function count({ states }, words) {
  return words.split(',').reduce((total, word) => total + (states[word] ?? 0), 0);
}

function others({ offline, draining }) {
  const parts = [draining > 0 && `${number(draining)} draining`, offline > 0 && `${number(offline)} offline`];
  return parts.filter(Boolean).join(', ') || null;
}

/** A figure whose link and note stay the same elements while they say the same. */
function tile({ label, href, read }) {
  const figure = h('dd', {});
  const small = h('dd', { class: 'note' });
  const element = h('div', { class: 'tile' }, h('dt', {}, href ? h('a', { href }, label) : label), figure, small);
  return {
    element,
    show(fleet) {
      const { value, since, note, job, isBad } = read(fleet);
      putIfNew(figure, { value, since }, () => (since ? age(since) : value));
      putIfNew(small, { note, job }, () => (job ? jobLink(job) : note));
      small.hidden = !note && !job;
      element.toggleAttribute('data-bad', Boolean(isBad));
    },
  };
}
