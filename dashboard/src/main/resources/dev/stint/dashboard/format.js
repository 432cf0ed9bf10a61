// How figures and times are written. Times are milliseconds of the server's clock.

import { h } from './dom.js';

const NUMBER = new Intl.NumberFormat('en');
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

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
    const text = since(Number(element.dataset.ms));
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }
}

/** The end of an id, which is where two of them differ; the whole is its title. */
export function shortId(id) {
  return h('span', { class: 'mono', title: id }, '…' + id.slice(-12));
}

/** A state as a word with a mark, so that nobody needs the colour. */
export function state(word) {
  return h('span', { class: 'state', 'data-state': word }, word);
}

/** JSON as people read it; other text as it is. */
export function pretty(value) {
  if (value === null || value === undefined) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
