// The last hour, minute by minute: what was completed and what failed as bars, what came in as a line.

import { h, put, svg } from './dom.js';
import { clock, number, serverNow } from './format.js';

const MINUTE = 60_000;
const MINUTES = 60;
const HEIGHT = 190;
/** What the figures at the axis need, and at least. */
const DIGIT = 7;
const LEFT = 40;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const SERIES = [
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['submitted', 'Submitted'],
];

/** The chart with its legend, a line that tells about the minute pointed at, and the same as a table. */
export function chart() {
  const drawing = h('div', { class: 'chart' });
  const readout = h('p', { class: 'readout' });
  const rows = h('tbody');
  const element = h(
    'div',
    { class: 'card' },
    h(
      'div',
      { class: 'chart-head' },
      readout,
      h('ul', { class: 'legend' }, SERIES.map(([name, label]) => h('li', { 'data-series': name }, label))),
    ),
    drawing,
    h(
      'details',
      {},
      h('summary', {}, 'As a table'),
      h(
        'table',
        {},
        h('caption', { class: 'unseen' }, 'Jobs in each minute of the last hour'),
        h('thead', {}, h('tr', {}, ['Minute', 'Submitted', 'Completed', 'Failed'].map((label) => h('th', { scope: 'col' }, label)))),
        rows,
      ),
    ),
  );
  let minutes = [];
  let pointedAt = null;

  function draw() {
    const width = Math.max(240, drawing.clientWidth);
    put(drawing, picture(minutes, width, tell));
  }

  function tell(minute) {
    pointedAt = minute?.at_ms;
    put(readout, minute ? `${clock(minute.at_ms)} · ${words(minute)}` : `Last 60 minutes · ${words(sum(minutes))}`);
  }

  new ResizeObserver(draw).observe(drawing);
  return {
    element,
    show(series) {
      minutes = complete(series);
      draw();
      tell(minutes.find((minute) => minute.at_ms === pointedAt));
      const seen = minutes.filter((m) => m.submitted + m.completed + m.failed > 0);
      put(
        rows,
        seen.length === 0
          ? h('tr', {}, h('td', { colspan: 4 }, 'Nothing happened within the last hour.'))
          : seen.map((m) => h('tr', {}, [clock(m.at_ms), m.submitted, m.completed, m.failed].map((v) => h('td', {}, String(v))))),
      );
    },
  };
}

/** All 60 minutes, also those of which there is nothing to tell. */
function complete(series) {
  const known = new Map(series.map((minute) => [minute.at_ms, minute]));
  const last = Math.floor(serverNow() / MINUTE) * MINUTE;
  return Array.from({ length: MINUTES }, (_, i) => {
    const at = last - (MINUTES - 1 - i) * MINUTE;
    return known.get(at) ?? { at_ms: at, submitted: 0, completed: 0, failed: 0 };
  });
}

function sum(minutes) {
  const total = (name) => minutes.reduce((all, minute) => all + minute[name], 0);
  return { submitted: total('submitted'), completed: total('completed'), failed: total('failed') };
}

function words({ submitted, completed, failed }) {
  return `${number(submitted)} submitted, ${number(completed)} completed, ${number(failed)} failed`;
}

function picture(minutes, width, tell) {
  const top = roundUp(Math.max(4, ...minutes.map((m) => Math.max(m.submitted, m.completed + m.failed))));
  const left = Math.max(LEFT, 12 + DIGIT * number(top).length);
  const slot = (width - left - RIGHT) / MINUTES;
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const x = (i) => left + i * slot;
  const bar = (i, from, to, series) =>
    to > from &&
    svg('rect', {
      'data-series': series,
      x: x(i) + slot * 0.14,
      width: slot * 0.72,
      y: y(to),
      height: y(from) - y(to),
    });
  return svg(
    'svg',
    { width, height: HEIGHT, role: 'img', 'aria-label': `Last 60 minutes: ${words(sum(minutes))}` },
    [0, 0.5, 1].map((part) => [
      svg('line', { class: 'grid', x1: left, x2: width - RIGHT, y1: y(top * part), y2: y(top * part) }),
      svg('text', { x: left - 8, y: y(top * part) + 4, 'text-anchor': 'end' }, number(top * part)),
    ]),
    minutes.map((m, i) => [bar(i, 0, m.completed, 'completed'), bar(i, m.completed, m.completed + m.failed, 'failed')]),
    svg('polyline', {
      'data-series': 'submitted',
      points: minutes.map((m, i) => `${(x(i) + slot / 2).toFixed(1)},${y(m.submitted).toFixed(1)}`).join(' '),
    }),
    labels(minutes, x, slot),
    minutes.map((m, i) =>
      svg('rect', {
        class: 'reach',
        x: x(i),
        width: slot,
        y: TOP,
        height: HEIGHT - TOP - BOTTOM,
        onpointerenter: () => tell(m),
        onpointerleave: () => tell(),
      }),
    ),
  );
}

/** The quarters of the hour. */
function labels(minutes, x, slot) {
  return minutes.map(
    (minute, i) =>
      (minute.at_ms / MINUTE) % 15 === 0 &&
      i > 2 &&
      i < MINUTES - 2 &&
      svg('text', { x: x(i) + slot / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, clock(minute.at_ms)),
  );
}

/** The next round number that can be halved. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]
    .map((step) => Math.round(step * power))
    .find((step) => step >= value && step % 2 === 0);
}
