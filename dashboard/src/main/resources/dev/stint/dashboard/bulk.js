// Verbs for all jobs that a filter fits: counted first, confirmed, then done batch by batch.

import { post } from './api.js';
import { ask, carryOut } from './dialog.js';
import { h } from './dom.js';
import { number, plural } from './format.js';

/** So many batches are counted at most; beyond, “more than” has to do. */
const MOST_COUNTS = 10;
const VERBS = {
  retry: {
    label: 'Retry all…',
    verb: 'Retry',
    title: 'Retrying jobs',
    fits: ['FAILED', 'ABORTED'],
    effect: 'Each that failed or was aborted waits again, with a fresh budget of attempts. Others are left as they are.',
  },
  cancel: {
    label: 'Cancel all…',
    verb: 'Cancel',
    title: 'Cancelling jobs',
    fits: ['PENDING', 'ASSIGNED', 'RUNNING', 'LOST', 'RETRYING'],
    effect: 'Those that wait end at once, those that run are asked to stop. Jobs that have ended are left as they are.',
  },
  abort: {
    label: 'Abort all…',
    verb: 'Abort',
    title: 'Aborting jobs',
    fits: ['PENDING', 'ASSIGNED', 'RUNNING', 'LOST', 'RETRYING'],
    effect: 'They end at once, and what their workers report later does not count. Jobs that have ended are left as they are.',
  },
};

/** The verbs that make sense for jobs of this status. */
export function bulkButtons({ status, filter, act }) {
  const states = status?.split(',');
  const verbs = Object.entries(VERBS).filter(([, verb]) => !states || states.some((word) => verb.fits.includes(word)));
  return (
    verbs.length > 0 &&
    h(
      'div',
      { class: 'bulk', role: 'group', 'aria-label': 'For all jobs that fit' },
      h('span', { class: 'muted' }, 'All jobs that fit:'),
      verbs.map(([action, verb]) =>
        h('button', { type: 'button', class: 'small', onclick: () => act(() => run(action, verb, filter())) }, verb.label),
      ),
    )
  );
}

async function run(action, { verb, title, effect }, filter) {
  const { matched, more } = await count(action, filter);
  const many = `${more ? 'more than ' : ''}${plural(matched, 'job')}`;
  const agreed = await ask({
    title: `${verb} ${many}?`,
    text: `${more ? 'More than ' : ''}${number(matched)} ${matched === 1 ? 'job fits' : 'jobs fit'} the filter. ${effect}`,
    action: `${verb} ${many}`,
    tone: action === 'retry' ? 'main' : 'danger',
  });
  if (agreed) {
    await carryOut({
      title,
      total: more ? null : matched,
      step: (cursor) => post('v1/jobs/bulk', { action, filter, ...(cursor && { cursor }) }),
    });
  }
}

async function count(action, filter) {
  let matched = 0;
  let cursor = null;
  for (let i = 0; i < MOST_COUNTS; i++) {
    const batch = await post('v1/jobs/bulk', { action, filter, dry_run: true, ...(cursor && { cursor }) });
    matched += batch.matched;
    cursor = batch.next;
    if (!cursor) {
      break;
    }
  }
  return { matched, more: cursor !== null };
}
