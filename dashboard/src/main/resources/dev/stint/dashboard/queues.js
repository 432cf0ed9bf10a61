// The queues: how much waits, for how long, and whether anyone may take it.

import { post } from './api.js';
import { ask } from './dialog.js';
import { h } from './dom.js';
import { age, ago, number, state } from './format.js';
import { nothing, table } from './table.js';

export function queues({ act }) {
  const all = queueTable({ act });
  return {
    title: 'Queues',
    body: [all.element],
    hear: (fleet) => all.show(queuesOf(fleet)),
  };
}

/** The queues, each with the time since when its oldest job waits instead of how long that is by now. */
export function queuesOf({ now_ms: now, queues: all }) {
  return all.map(({ oldest_wait_ms: wait, ...queue }) => ({ ...queue, since_ms: wait === null ? null : now - wait }));
}

/** Those where jobs wait come first, paused ones before others; then those where most run and failed. */
export function mostPressing(all, most) {
  const waits = (queue) => queue.depth > 0;
  return all
    .toSorted(
      (a, b) =>
        (b.paused && waits(b)) - (a.paused && waits(a)) ||
        b.depth - a.depth ||
        b.running - a.running ||
        b.failed - a.failed,
    )
    .slice(0, most);
}

/** Queues as a table, here and on the overview. */
export function queueTable({ act }) {
  return table({
    caption: 'Queues',
    columns: [
      { label: 'Queue', kind: 'name', cell: (q) => h('a', { class: 'mono', href: to(q) }, q.queue) },
      { label: 'Status', cell: status },
      { label: 'Waiting', kind: 'number', cell: (q) => number(q.depth) },
      { label: 'Oldest', kind: 'number', cell: (q) => (q.since_ms === null ? '–' : age(q.since_ms)) },
      { label: 'Running', kind: 'number', cell: (q) => number(q.running) },
      { label: 'Failed', kind: 'number', cell: (q) => number(q.failed) },
      { label: 'Done per minute', kind: 'number', cell: (q) => number(q.completed_per_min) },
      { label: 'Action', kind: 'action', cell: (q) => button(q, act) },
    ],
    key: (q) => q.queue,
    empty: () => nothing('No queue has a job yet.', 'Submit one: ', h('code', {}, 'stint submit -- echo hello')),
  });
}

function to(queue) {
  return `#/jobs?queue=${encodeURIComponent(queue.queue)}`;
}

function status(queue) {
  return queue.paused
    ? [
        state('PAUSED'),
        ' ',
        h('span', { class: 'muted' }, ago(queue.paused_since_ms)),
        queue.paused_reason && h('span', { class: 'note' }, queue.paused_reason),
      ]
    : state('OPEN');
}

function button(queue, act) {
  const label = queue.paused ? 'Resume' : 'Pause';
  return h(
    'button',
    {
      type: 'button',
      class: 'small',
      'aria-label': `${label} queue ${queue.queue}`,
      onclick: () => act(() => (queue.paused ? resume(queue) : pause(queue))),
    },
    label,
  );
}

function path(queue, verb) {
  return `v1/queues/${encodeURIComponent(queue.queue)}/${verb}`;
}

function stays({ depth }) {
  return depth === 0
    ? 'No job waits in it now; all that come stay where they are'
    : `The ${depth === 1 ? 'job that waits' : `${number(depth)} jobs that wait`} in it and all that come stay where they are`;
}

async function pause(queue) {
  const answer = await ask({
    title: `Pause queue ${queue.queue}?`,
    text: `${stays(queue)} until it is resumed. What runs goes on.`,
    action: 'Pause',
    tone: 'main',
    fields: [{ name: 'reason', label: 'Reason, for others to read', hint: 'optional', maxlength: 200 }],
  });
  if (answer) {
    await post(path(queue, 'pause'), answer.reason ? { reason: answer.reason } : {});
  }
}

function resume(queue) {
  return post(path(queue, 'resume'));
}
