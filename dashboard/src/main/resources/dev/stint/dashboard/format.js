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

/** A longer text than this may be cut off at the end of its line. */
export const SHORT = 40;

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

/** A span that something took, also a short one. */
export function took(ms) {
  return ms < 1000 ? `${ms} ms` : ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : span(ms);
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

/** Date and time in words. */
export function moment(ms) {
  return MOMENT.format(new Date(ms));
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

/** The end of a job's id, which is where two of them differ. */
export function shortId(id) {
  return id.length > 12 ? `…${id.slice(-12)}` : id;
}

/** A link to a job. */
export function jobLink(id) {
  return h(
    'a',
    { class: 'mono id', href: `#/jobs/${encodeURIComponent(id)}`, title: id, 'aria-label': `Job ${id}` },
    shortId(id),
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

/** The beginning of a text that may be very long. */
export function beginning(text, most = 500) {
  return text.length > most ? `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** Why something happened, and what came with it unless that only says the same. */
export function details(reason, data) {
  const isSame = data && JSON.stringify(data) === JSON.stringify({ message: reason });
  const text = data && !isSame && JSON.stringify(data);
  const more = text && unfolding(h('code', { class: 'clip' }, beginning(text)), text.length > SHORT && legible(data));
  return reason && more ? [reason, ' ', more] : [reason, more];
}

/** One line that unfolds to all of it, if there is more. */
export function unfolding(line, all) {
  return all ? h('details', { class: 'more' }, h('summary', {}, line), h('pre', { tabindex: '0' }, all)) : line;
}

/** JSON whose texts of several lines, such as a stack, stand below the rest as the lines that they are. */
export function legible(value) {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  const long = isObject ? Object.entries(value).filter(([, text]) => typeof text === 'string' && text.includes('\n')) : [];
  if (long.length === 0) {
    return pretty(value);
  }
  const short = Object.fromEntries(Object.entries(value).filter(([name]) => !long.some(([other]) => other === name)));
  const rest = Object.keys(short).length > 0 ? [pretty(short)] : [];
  return [...rest, ...long.map(([name, text]) => `${name}:\n${text.trimEnd()}`)].join('\n\n');
}

/** JSON as people read it. */
export function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
