// Questions before something is done that cannot be undone.

import { h } from './dom.js';

/** Asks, and tells whether the answer was yes. Escape is no. */
export function confirm({ title, text, action }) {
  return new Promise((resolve) => {
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'dialog-title', onclose: () => close() },
      h('h2', { id: 'dialog-title' }, title),
      h('p', {}, text),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', autofocus: true, onclick: () => dialog.close('no') }, 'Leave it'),
        h('button', { type: 'button', class: 'danger', onclick: () => dialog.close('yes') }, action),
      ),
    );
    function close() {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    }
    document.body.append(dialog);
    dialog.showModal();
  });
}
