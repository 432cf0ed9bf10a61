// What a job says while it runs: the text that it gives out, and how far it is.

import { stream } from './api.js';
import { h, keyed } from './dom.js';
import { exactClock } from './format.js';
import { insteadOfFleet, pause, whileSeen } from './pulse.js';

const AGAIN_MS = 2000;
/** The events in which a worker says something to people. */
const SAYING = ['progress', 'message'];
/** So much is shown; the newest counts. */
const MOST_LINES = 500;
const MOST_TEXT = 200_000;

/**
 * @param path of the job's stream
 * @param heard called at each event
 * @param isOver whether the job has ended, so that there is nothing more to hear
 */
export function said({ path, heard, isOver }) {
  const output = h('pre', { role: 'log', 'aria-label': 'Output', tabindex: '0' });
  const messages = h('div', { class: 'log', role: 'log', 'aria-label': 'Messages', tabindex: '0' });
  const outputPart = h('section', { hidden: true }, h('h2', {}, 'Output'), output);
  const messagePart = h('section', { hidden: true }, h('h2', {}, 'Messages'), messages);
  const lines = [];
  let attempt = 0;
  let isAnew = false;

  function give(data) {
    if (isAnew || data.attempt > attempt) {
      isAnew = false;
      attempt = data.attempt ?? 0;
      output.textContent = '';
    }
    outputPart.hidden = false;
    keepEnd(output, () => {
      output.append(data.text);
      if (output.textContent.length > MOST_TEXT) {
        output.textContent = '…' + output.textContent.slice(-MOST_TEXT / 2);
      }
    });
  }

  function tell(id, ts, { message, progress }) {
    const text = typeof message === 'string' ? message : '';
    const percent = typeof progress === 'number' ? `${progress} %` : '';
    if (!text && !percent) {
      return;
    }
    lines.push({ id, ts, text, percent });
    lines.splice(0, lines.length - MOST_LINES);
    messagePart.hidden = false;
    keepEnd(messages, () => keyed(messages, lines, (line) => line.id, lineOf));
  }

  /** A native worker writes what it likes, under any step: what is not text is not shown. */
  function hear({ id, type, data: event }) {
    const data = event?.data ?? {};
    if (type === 'output' && typeof data.text === 'string') {
      give(data);
    } else if (SAYING.includes(type)) {
      tell(id, event.ts, data);
    } else if (type === 'queued') {
      // A job that is retried after its end counts its attempts from 1 again.
      isAnew = true;
    }
    heard();
  }

  return {
    body: [outputPart, messagePart],
    async follow(signal) {
      let lastId = null;
      let isThere = true;
      while (!signal.aborted && isThere) {
        await insteadOfFleet(async () => {
          await whileSeen(signal, async (seen) => {
            try {
              await stream(path, {
                signal: seen,
                lastId,
                onEvent(event) {
                  lastId = event.id ?? lastId;
                  hear(event);
                },
              });
            } catch (problem) {
              // The page as a whole says that the server is away; this goes on trying.
              isThere = problem.status !== 404;
            }
          });
          await pause(AGAIN_MS, signal);
        });
        while (isOver() && !signal.aborted) {
          await pause(AGAIN_MS, signal);
        }
      }
    },
  };
}

/** Changes what can be scrolled; who has read to its end goes on reading there. */
function keepEnd(element, change) {
  const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 8;
  change();
  if (isAtEnd) {
    element.scrollTop = element.scrollHeight;
  }
}

function lineOf({ ts, percent, text }) {
  return h(
    'p',
    {},
    h('span', { class: 'muted' }, exactClock(ts)),
    h('span', { class: 'percent' }, percent),
    h('span', {}, text),
  );
}
