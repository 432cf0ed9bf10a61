// One stream for the whole page: it brings the overview whenever something changed. A window has no
// second one, as a browser has six connections to one server for all its windows together.

import { get, stream } from './api.js';
import { serverTimeIs } from './format.js';

const AGAIN_MS = 3000;

const listeners = new Set();
let latest = null;
/** How many have the window's stream for something else than the fleet. */
let others = 0;
/** Ended whenever that changes. */
let turn = new AbortController();

/** What the fleet was like when it was last heard of; null before that. */
export function overviewNow() {
  return latest;
}

/** Calls `listener` with the overview whenever it changed. */
export function listen(listener, signal) {
  listeners.add(listener);
  signal.addEventListener('abort', () => listeners.delete(listener));
}

/**
 * Follows the fleet while the page is seen. Where no stream can be had, such as behind a proxy that
 * holds answers back, it asks every few seconds.
 */
export async function follow(signal, { onHeard, onTrouble }) {
  latest = null;
  const hear = (overview) => {
    latest = overview;
    serverTimeIs(overview.now_ms);
    onHeard();
    [...listeners].forEach((listener) => listener(overview));
  };
  while (!signal.aborted) {
    const mine = turn.signal;
    await whileSeen(signal, (seen) =>
      others > 0
        ? ask(seen, hear, onTrouble)
        : hearAll(AbortSignal.any([seen, mine]), hear, onTrouble),
    );
    await pause(document.hidden ? 0 : AGAIN_MS, AbortSignal.any([signal, mine]));
  }
}

/** Leaves the window's stream to `listen` until that is done; the fleet is asked about meanwhile. */
export async function insteadOfFleet(listen) {
  pass(1);
  try {
    await listen();
  } finally {
    pass(-1);
  }
}

function pass(change) {
  others += change;
  turn.abort();
  turn = new AbortController();
}

async function hearAll(signal, hear, onTrouble) {
  const heard = new AbortController();
  askUntil(AbortSignal.any([signal, heard.signal]), hear, onTrouble);
  try {
    await stream('v1/overview/stream', {
      signal,
      onEvent(event) {
        heard.abort();
        hear(event.data);
      },
    });
  } catch {
    await ask(signal, hear, onTrouble);
  }
  heard.abort();
}

/** Asks every few seconds while nothing comes by the stream, which may be silent for long. */
async function askUntil(signal, hear, onTrouble) {
  await pause(AGAIN_MS, signal);
  while (!signal.aborted) {
    await ask(signal, hear, onTrouble);
    await pause(AGAIN_MS, signal);
  }
}

async function ask(signal, hear, onTrouble) {
  try {
    hear(await get('v1/overview', signal));
  } catch (problem) {
    if (!signal.aborted) {
      onTrouble(problem);
    }
  }
}

/** Waits, but not longer than `signal` lets it. */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
  });
}

/**
 * Waits until the page is seen, and calls `listen` with a signal that ends when it no longer is: a
 * browser has few connections to one server, and pages that nobody looks at shall take none.
 */
export async function whileSeen(signal, listen) {
  await untilSeen(signal);
  const seen = new AbortController();
  const look = () => document.hidden && seen.abort();
  document.addEventListener('visibilitychange', look);
  try {
    await listen(AbortSignal.any([signal, seen.signal]));
  } finally {
    document.removeEventListener('visibilitychange', look);
  }
}

function untilSeen(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (!document.hidden || signal.aborted) {
        document.removeEventListener('visibilitychange', look);
        signal.removeEventListener('abort', look);
        resolve();
      }
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
