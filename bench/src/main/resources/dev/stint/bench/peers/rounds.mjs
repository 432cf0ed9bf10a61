// What all drivers share: each round submits the jobs in batches, lets the workers do them, and prints a line of JSON.
import { performance } from "node:perf_hooks";

export const order = JSON.parse(process.argv[2]);

const MOST_ROUNDS = 1000;
const filler = "x".repeat(Math.max(0, order.payloadBytes - '{"n":000000,"data":""}'.length));

export const payload = (n) => ({ n, data: filler });

// Calls add(first, count) for all jobs, a few calls at a time.
export async function inBatches(add) {
  let next = 0;
  const caller = async () => {
    while (next < order.jobs) {
      const first = next;
      const count = Math.min(order.batch, order.jobs - first);
      next += count;
      await add(first, count);
    }
  };
  await Promise.all(Array.from({ length: order.callers }, caller));
}

// Which jobs of a round were done; every one must be done exactly once.
export class Done {
  constructor() {
    this.seen = new Set();
    this.begin = 0;
    this.end = 0;
    this.all = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  began() {
    this.begin ||= performance.now();
  }

  ended() {
    this.end ||= performance.now();
  }

  add(n) {
    if (this.seen.has(n)) {
      this.reject(new Error(`job ${n} was done twice`));
    }
    this.seen.add(n);
    if (this.seen.size === order.jobs) {
      this.resolve();
    }
  }
}

// submit() adds all jobs; work(done) has them all done and durable when it returns; settle() comes between the two while it only warms up.
export async function rounds(submit, work, settle = async () => {}) {
  const warm = performance.now() + order.warmUpSeconds * 1000;
  let end = 0;
  for (let round = 0; round <= MOST_ROUNDS; round++) {
    const begin = performance.now();
    await submit();
    const submitMs = performance.now() - begin;
    if (end === 0) {
      await settle();
    }
    const done = new Done();
    await work(done);
    done.ended();
    const workMs = done.end - done.begin;
    if (end === 0) {
      end = performance.now() >= warm ? performance.now() + order.seconds * 1000 : 0;
      continue;
    }
    console.log(JSON.stringify({ submit_ms: submitMs, work_ms: workMs }));
    if (performance.now() >= end) {
      return;
    }
  }
}
