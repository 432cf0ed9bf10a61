// One job: what it is, where it is, and all that happened to it.

import { get, post, withQuery } from './api.js';
import { confirm } from './dialog.js';
import { h, put } from './dom.js';
import { eventTable } from './events.js';
import { ago, at, pretty, state } from './format.js';

const ENDED = ['COMPLETED', 'FAILED', 'ABORTED'];

export function job({ id, act }) {
  const head = h('div', { class: 'facts-head' });
  const facts = h('dl', { class: 'facts' });
  const events = eventTable({ isOfOneJob: true });

  async function load(signal) {
    const [found, happened] = await Promise.all([
      get(`jobs/${encodeURIComponent(id)}`, signal),
      get(withQuery('events', { job_id: id, limit: 100 }), signal),
    ]);
    put(
      head,
      state(found.status),
      found.cancel_requested && h('span', { class: 'muted' }, 'asked to stop'),
      !ENDED.includes(found.status) &&
        h('button', { type: 'button', class: 'danger', onclick: () => act(() => abort(found)) }, 'Abort'),
    );
    put(facts, rows(found));
    events.show(happened.events);
  }

  async function abort(found) {
    const agreed = await confirm({
      title: 'Abort this job?',
      text: `Job ${found.job_id} ends at once, and what its worker reports later does not count.`,
      action: 'Abort 1 job',
    });
    if (agreed) {
      await post('abort', { job_id: found.job_id, reason: 'aborted on the dashboard' });
    }
  }

  return {
    title: 'Job',
    subtitle: h('span', { class: 'mono' }, id),
    body: [
      h('div', { class: 'card' }, head, facts),
      h('section', {}, h('h2', {}, 'Events'), events.element),
    ],
    load,
  };
}

function rows(found) {
  const all = [
    ['Runs', found.command === null ? null : code([found.command, ...(found.args ?? [])].join(' '))],
    ['In folder', found.working_dir && code(found.working_dir)],
    ['Queue', code(found.queue)],
    ['Priority', String(found.priority)],
    ['Requires', found.requirements.join(', ')],
    ['Attempts', `${found.attempt_count} of ${found.max_attempts}`],
    ['Worker', found.worker_id],
    ['Submitted', [at(found.created_at * 1000), ' · ', ago(found.created_at * 1000)]],
    ['Not before', found.scheduled_at ? at(found.scheduled_at * 1000) : null],
    ['Changed', ago(found.updated_at * 1000)],
    ['Progress', found.progress === null ? null : `${found.progress} %`],
    ['Says', found.message],
    ['Exit code', found.exit_code === null ? null : pretty(found.exit_code)],
    ['Error', found.last_error && h('span', { class: 'problem' }, found.last_error)],
    ['Output', found.artifact_stdout_path && code(found.artifact_stdout_path)],
  ];
  return all
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, value)));
}

function code(text) {
  return h('code', {}, text);
}
