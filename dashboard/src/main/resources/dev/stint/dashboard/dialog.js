// Questions before something is done, and the progress of what takes a while.

import { h, keepFocus, put } from './dom.js';
import { number, plural } from './format.js';

/**
 * Asks, and gives back what was entered by the names of `fields`, or null for no. Escape is no.
 *
 * @param fields each with `name`, `label` and, optional, `type`, `min`, `max`, `hint`
 */
export function ask({ title, text, action, tone = 'danger', fields = [] }) {
  return new Promise((resolve) => {
    const inputs = fields.map((field) => input(field));
    const form = h(
      'form',
      { onsubmit: yes },
      h('h2', { id: 'dialog-title' }, title),
      h('p', { id: 'dialog-text' }, text),
      fields.map((field, i) => h('p', {}, h('label', { for: inputs[i].id }, field.label), inputs[i])),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', autofocus: fields.length === 0, onclick: () => dialog.close() }, 'Leave it'),
        h('button', { type: 'submit', class: tone }, action),
      ),
    );
    let answer = null;
    const dialog = open(form, () => resolve(answer));
    function yes(event) {
      event.preventDefault();
      answer = Object.fromEntries(inputs.map((field) => [field.name, field.value.trim()]));
      dialog.close();
    }
  });
}

function input({ name, label, hint, ...more }) {
  return h('input', { id: `dialog-${name}`, name, placeholder: hint, autocomplete: 'off', ...more });
}

function open(content, onclose) {
  const focusBack = keepFocus();
  const dialog = h(
    'dialog',
    {
      'aria-labelledby': 'dialog-title',
      'aria-describedby': 'dialog-text',
      onclose: () => {
        dialog.remove();
        focusBack();
        onclose();
      },
    },
    content,
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Goes on batch by batch and shows how far it is. `step(cursor)` gives `{done, refused, next}`.
 * Closing the dialog stops it after the batch under way.
 *
 * @param total how many there seem to be; null if nobody knows
 */
export async function carryOut({ title, total, step }) {
  const bar = h('progress', { max: Math.max(1, total ?? 1), value: total === null ? null : 0, 'aria-label': title });
  const text = h('p', { id: 'dialog-text', role: 'status' }, 'Working…');
  const button = h('button', { type: 'button', onclick: () => dialog.close() }, 'Stop');
  let isStopped = false;
  const dialog = open(
    h('div', {}, h('h2', { id: 'dialog-title' }, title), bar, text, h('div', { class: 'actions' }, button)),
    () => {
      isStopped = true;
    },
  );
  let done = 0;
  let refused = 0;
  let cursor = null;
  try {
    do {
      const batch = await step(cursor);
      done += batch.done;
      refused += batch.refused ?? 0;
      cursor = batch.next;
      if (total !== null) {
        bar.value = done + refused;
      }
      put(text, tally(done, refused));
    } while (cursor && !isStopped);
    bar.value = bar.max;
    put(text, `Done: ${tally(done, refused)}`);
  } catch (problem) {
    put(text, h('span', { class: 'problem' }, `Stopped after ${tally(done, refused)} ${problem.message}`));
  }
  put(button, 'Close');
  button.focus();
}

function tally(done, refused) {
  return `${plural(done, 'job')}${refused > 0 ? `, ${number(refused)} left as they are` : ''}.`;
}
