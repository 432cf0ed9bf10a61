// Jobs that failed for good, by what went wrong.

import { get, post, withQuery } from './api.js';
import { ask, carryOut } from './dialog.js';
import { h } from './dom.js';
import { ago, jobLink, number, plural } from './format.js';
import { nothing, pager, table } from './table.js';

export function dead({ query, act }) {
  const groups = table({
    caption: 'Dead letters by error',
    columns: [
      { label: 'Error', kind: 'wide', cell: error },
      { label: 'Jobs', kind: 'number', cell: (group) => number(group.count) },
      { label: 'First seen', kind: 'number', cell: (group) => ago(group.first_ms) },
      { label: 'Last seen', kind: 'number', cell: (group) => ago(group.last_ms) },
      { label: 'Sample', cell: (group) => group.sample && [jobLink(group.sample.job_id), h('span', { class: 'note' }, group.sample.queue)] },
      {
        label: 'Action',
        kind: 'action',
        cell: (group) =>
          h(
            'button',
            {
              type: 'button',
              class: 'small',
              'aria-label': `Replay ${plural(group.count, 'job')} with ${group.code ?? 'this error'}`,
              onclick: () => act(() => replay(group)),
            },
            'Replay…',
          ),
      },
    ],
    key: (group) => group.fingerprint,
    empty: () => nothing('Nothing has failed for good.', 'A job comes here when it failed and no attempt is left.'),
  });
  const pages = pager('Pages of groups', 'Newest', 'Older');

  return {
    title: 'Dead letters',
    body: [groups.element, pages.element],
    async load(signal) {
      const page = await get(withQuery('v1/dead', { cursor: query.get('cursor') }), signal);
      groups.show(page.groups);
      pages.show(
        query.get('cursor') && '#/dead',
        page.next && '#/' + withQuery('dead', { cursor: page.next }),
      );
    },
  };
}

function error(group) {
  const [first, second] = [group.code, group.message].filter(Boolean);
  return [h('span', { class: 'mono strong' }, first ?? 'no message'), second && h('span', { class: 'note mono' }, second)];
}

async function replay(group) {
  const answer = await ask({
    title: `Replay ${plural(group.count, 'job')}?`,
    text: `${group.count === 1 ? 'It' : 'Each of them'} waits again, with a fresh budget of attempts.`,
    action: `Replay ${plural(group.count, 'job')}`,
    tone: 'main',
    fields: [{ name: 'rate', label: 'How many a second', type: 'number', min: 1, max: 100000, hint: 'all at once' }],
  });
  if (answer) {
    const rate = answer.rate ? { rate_per_s: Number(answer.rate) } : {};
    await carryOut({
      title: 'Replaying jobs',
      total: group.count,
      step: async (cursor) => {
        const batch = await post('v1/dead/replay', {
          fingerprint: group.fingerprint,
          ...rate,
          ...(cursor && { cursor }),
        });
        return { done: batch.replayed, next: batch.next };
      },
    });
  }
}
