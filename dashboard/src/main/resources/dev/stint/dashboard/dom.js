// The only place where elements are made. What comes from a job goes in as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes, listeners (`onclick: …`) and children; strings become text. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for the parts of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...present(children));
  return element;
}

function present(children) {
  return children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false);
}

/** Replaces all that is in an element. */
export function put(element, ...children) {
  element.replaceChildren(...present(children));
}

/** The same, but only if `value`, which it is made of, is not what it was the last time. */
export function putIfNew(element, value, make) {
  const shape = JSON.stringify(value);
  if (element.shape !== shape) {
    element.shape = shape;
    put(element, make(value));
  }
}

/**
 * Shows a list in `parent`. An item that did not change keeps its element, so that focus, selection
 * and the place of a screen reader survive a refresh; one that did keeps at least the focus.
 */
export function keyed(parent, items, key, make) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const focusBack = parent.contains(document.activeElement) ? keepFocus() : null;
  const wanted = items.map((item) => {
    const name = String(key(item));
    const shape = JSON.stringify(item);
    const old = known.get(name);
    if (old && old.shape === shape) {
      return old;
    }
    const element = make(item);
    element.dataset.key = name;
    element.shape = shape;
    return element;
  });
  if (wanted.length !== parent.children.length || wanted.some((w, i) => parent.children[i] !== w)) {
    parent.replaceChildren(...wanted);
  }
  focusBack?.();
}

/** Notes where the focus is. What it returns puts it back there, even if the row there was made anew. */
export function keepFocus() {
  const focused = document.activeElement;
  const row = focused?.closest('[data-key]');
  const list = row?.parentElement;
  const index = row && focusable(row).indexOf(focused);
  return () => {
    const same = [...(list?.children ?? [])].find((child) => child.dataset.key === row.dataset.key);
    const target = focused?.isConnected ? focused : same && focusable(same)[index];
    if (target !== document.activeElement) {
      target?.focus({ preventScroll: true });
    }
  };
}

function focusable(element) {
  return [...element.querySelectorAll('a, button, input, select')];
}
