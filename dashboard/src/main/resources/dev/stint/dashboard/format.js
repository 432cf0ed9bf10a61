// How figures and times are written. Times are milliseconds of the server's clock.

import { h } from './dom.js';

const NUMBER = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const SECONDS = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
/** Names its time zone, since the server's own words have their times in UTC. */
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** How much the server's clock is ahead of this browser's. */
let ahead = 0;

export function serverTimeIs(ms) {
  ahead = ms - Date.now();
}

export function serverNow() {
  return Date.now() + ahead;
}

export function number(value) {
  return value === null || value === undefined ? '–' : NUMBER.format(value);
}

export function plural(count, one, many = one + 's') {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** A span of time in its one or two largest units. */
export function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min`;
  }
  if (seconds < 86400) {
    const minutes = Math.floor((seconds % 3600) / 60);
    return `${Math.floor(seconds / 3600)} h${minutes ? ` ${minutes} min` : ''}`;
  }
  return plural(Math.floor(seconds / 86400), 'day');
}

/** The time of day. */
export function clock(ms) {
  return CLOCK.format(new Date(ms));
}

/** The same to the second. */
export function exactClock(ms) {
  return SECONDS.format(new Date(ms));
}

function since(ms) {
  const age = serverNow() - ms;
  return age < -1500 ? `in ${span(-age)}` : age < 1500 ? 'just now' : `${span(age)} ago`;
}

/** “3 min ago”, which goes on counting, with the moment itself as its title. */
export function ago(ms) {
  if (!ms) {
    return '–';
  }
  const moment = new Date(ms);
  return h(
    'time',
    { datetime: moment.toISOString(), title: MOMENT.format(moment), 'data-ms': ms },
    since(ms),
  );
}

/** How long it is since then, which goes on counting. */
export function age(ms) {
  return h('time', { datetime: new Date(ms).toISOString(), 'data-ms': ms, 'data-plain': true }, span(serverNow() - ms));
}

/** The moment itself. */
export function at(ms) {
  if (!ms) {
    return '–';
  }
  const moment = new Date(ms);
  return h('time', { datetime: moment.toISOString() }, MOMENT.format(moment));
}

/** Lets all ages on the page be what they are by now. */
export function tick() {
  for (const element of document.querySelectorAll('time[data-ms]')) {
    const ms = Number(element.dataset.ms);
    const text = 'plain' in element.dataset ? span(serverNow() - ms) : since(ms);
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }
}

/** A link to a job by the end of its id, which is where two of them differ. */
export function jobLink(id) {
  return h(
    'a',
    { class: 'mono', href: `#/jobs/${encodeURIComponent(id)}`, title: id, 'aria-label': `Job ${id}` },
    '…' + id.slice(-12),
  );
}

/** A state as a word with a mark, so that nobody needs the colour. */
export function state(word) {
  return h('span', { class: 'state', 'data-state': word }, word);
}

/** What a job does, in one line: its command, or its task with what it was given. */
export function summary(job) {
  const payload = job.payload;
  const args = payload?.args ?? [];
  if (typeof payload?.command === 'string' && Array.isArray(args)) {
    return [payload.command, ...args].join(' ');
  }
  const given = payload === null || payload === undefined ? '…' : JSON.stringify(payload);
  return job.task ? `${job.task} ${given}` : given;
}

/** Why something happened, and what came with it unless that only says the same. */
export function details(reason, data) {
  const isSame = data && JSON.stringify(data) === JSON.stringify({ message: reason });
  return [reason, ' ', data && !isSame && h('code', { class: 'clip' }, JSON.stringify(data))];
}

/** JSON as people read it. */
export function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
