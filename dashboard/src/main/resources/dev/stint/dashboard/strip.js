// Where the time of a job went: when it waited, ran or was lost, as one strip, and in words.

import { h, put, svg } from './dom.js';
import { exactClock, moment, serverNow, took } from './format.js';

const DAY = 86_400_000;
/** The narrowest part that can still be seen, and a mark, in percent of the strip. */
const LEAST = 0.3;
const KINDS = {
  PENDING: 'waited',
  RETRYING: 'waited',
  ASSIGNED: 'waited',
  RUNNING: 'ran',
  LOST: 'lost',
};
const LABELS = [
  ['waited', 'Waiting'],
  ['ran', 'Running'],
  ['lost', 'Lost'],
  ['failure', 'Failure'],
];

export function strip() {
  const element = h('div', { class: 'card strip', hidden: true });
  return {
    element,
    /** @param events of the job, oldest first */
    show(events) {
      const changes = events.filter((event) => event.to);
      const parts = partsOf(changes);
      element.hidden = !parts.some(({ kind }) => kind === 'ran');
      if (!element.hidden) {
        put(element, drawn(parts, changes.filter(isFailure)));
      }
    },
  };
}

/** The times in one kind of state; between an end and a retry there is none. */
function partsOf(changes) {
  const parts = [];
  changes.forEach(({ to, at_ms: from }, i) => {
    const until = changes[i + 1]?.at_ms ?? Math.max(from, serverNow());
    const last = parts.at(-1);
    if (last?.until === from && last.kind === KINDS[to]) {
      last.until = until;
    } else if (KINDS[to]) {
      parts.push({ kind: KINDS[to], from, until });
    }
  });
  return parts;
}

function isFailure({ from, to }) {
  return ['RETRYING', 'FAILED', 'LOST'].includes(to) && KINDS[from] === 'ran';
}

function drawn(parts, failures) {
  const begin = parts[0].from;
  const end = parts.at(-1).until;
  const percent = (ms) => (100 * (ms - begin)) / Math.max(1, end - begin);
  const bar = (kind, from, width) =>
    svg('rect', {
      'data-part': kind,
      x: `${Math.min(from, 100 - LEAST)}%`,
      width: `${Math.max(LEAST, width)}%`,
      height: '100%',
    });
  const kinds = new Set([...parts.map(({ kind }) => kind), ...(failures.length > 0 ? ['failure'] : [])]);
  const time = end - begin > DAY ? moment : exactClock;
  return [
    h(
      'div',
      { class: 'chart-head' },
      h('p', { class: 'readout' }, words(parts)),
      h(
        'ul',
        { class: 'legend' },
        LABELS.filter(([kind]) => kinds.has(kind)).map(([kind, label]) => h('li', { 'data-part': kind }, label)),
      ),
    ),
    svg(
      'svg',
      { role: 'img', 'aria-label': words(parts) },
      parts.map(({ kind, from, until }) => bar(kind, percent(from), percent(until) - percent(from))),
      failures.map((event) => bar('failure', percent(event.at_ms), LEAST)),
    ),
    h('div', { class: 'ends muted' }, h('span', {}, time(begin)), h('span', {}, time(end))),
  ];
}

function words(parts) {
  const sum = (wanted) => parts.reduce((ms, { kind, from, until }) => (kind === wanted ? ms + until - from : ms), 0);
  const lost = sum('lost') > 0 ? `, was lost for ${took(sum('lost'))}` : '';
  return `It waited ${took(sum('waited'))}, ran ${took(sum('ran'))}${lost}.`;
}
