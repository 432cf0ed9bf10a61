// Tables that become cards on a narrow screen, and are refreshed row by row.

import { h, keyed, put } from './dom.js';

/**
 * @param caption what it shows, for screen readers
 * @param columns each with `label`, `cell(row)` and, optional, `kind` ('number', 'name', 'wide' or 'action')
 * @param key tells rows apart
 * @param empty what to show instead, and what to do next
 */
export function table({ caption, columns, key, empty }) {
  const body = h('tbody', { role: 'rowgroup' });
  const whole = h(
    'table',
    { role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h(
      'thead',
      { role: 'rowgroup' },
      h(
        'tr',
        { role: 'row' },
        columns.map((c) => h('th', { role: 'columnheader', scope: 'col', class: c.kind }, c.label)),
      ),
    ),
    body,
  );
  const nothing = h('div', { class: 'empty' }, empty());
  const element = h('div', { class: 'table' });

  function row(item) {
    return h(
      'tr',
      { role: 'row' },
      columns.map((c) =>
        h('td', { role: 'cell', class: c.kind, 'data-label': c.label }, h('div', {}, c.cell(item))),
      ),
    );
  }

  return {
    element,
    show(rows) {
      keyed(body, rows, key, row);
      const wanted = rows.length === 0 ? nothing : whole;
      if (element.firstElementChild !== wanted) {
        put(element, wanted);
      }
    },
  };
}

/**
 * Links to other pages of a list. They stay the same elements wherever they lead, so that a refresh
 * takes neither the focus nor a click away.
 *
 * @param texts of the links; `show` takes their addresses in this order, null for none
 */
export function pager(label, ...texts) {
  const links = texts.map((text) => h('a', { hidden: true }, text));
  const element = h('nav', { class: 'pages', 'aria-label': label, hidden: true }, links);
  return {
    element,
    show(...addresses) {
      links.forEach((link, i) => {
        link.hidden = !addresses[i];
        link.setAttribute('href', addresses[i] ?? '');
      });
      element.hidden = !addresses.some(Boolean);
    },
  };
}

/** An empty state: what is missing, and what to do about it. */
export function nothing(text, ...next) {
  return [h('p', { class: 'empty-title' }, text), h('p', {}, next)];
}
