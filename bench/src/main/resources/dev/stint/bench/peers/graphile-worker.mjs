// graphile-worker: "single" fetches and completes job by job; "batch" has a local queue and completes together.
import { setTimeout } from "node:timers/promises";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { inBatches, order, payload, rounds } from "./rounds.mjs";

const connectionString = order.url;
const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
const query = (text) => utils.withPgClient((client) => client.query(text));
const someAreLeft = async () =>
  (await query("select exists (select 1 from graphile_worker._private_jobs) as some")).rows[0].some;
const batched = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

await rounds(
  () =>
    inBatches((first, count) =>
      utils.addJobs(
        Array.from({ length: count }, (_, i) => ({ identifier: "task", payload: payload(first + i) })),
      ),
    ),
  async (done) => {
    const runner = await run({
      preset: {
        worker: {
          connectionString,
          logger,
          concurrentJobs: order.workers,
          maxPoolSize: order.workers + 2,
          ...(order.way === "batch" ? batched : {}),
        },
      },
      noHandleSignals: true,
      taskList: {
        task: (data) => {
          done.began();
          done.add(data.n);
        },
      },
    });
    await done.all;
    while (await someAreLeft()) {
      await setTimeout(2); // a completed job is deleted
    }
    done.ended();
    await runner.stop();
  },
  () => query("analyze"),
);
await utils.release();
