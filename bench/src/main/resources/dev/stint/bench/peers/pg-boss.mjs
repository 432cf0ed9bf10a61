// pg-boss: fetches and completes batches ("batch") or job by job ("single").
import { PgBoss } from "pg-boss";
import { inBatches, order, payload, rounds } from "./rounds.mjs";

const boss = new PgBoss({ connectionString: order.url, max: order.workers + 2, schedule: false });
boss.on("error", (error) => {
  throw error;
});
await boss.start();
const queue = "bench";
await boss.createQueue(queue);
const batchSize = order.way === "batch" ? order.batch : 1;

async function worker(done) {
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize });
    if (jobs.length === 0) {
      return;
    }
    done.began();
    await boss.complete(
      queue,
      jobs.map((job) => job.id),
    );
    jobs.forEach((job) => done.add(job.data.n));
  }
}

await rounds(
  () =>
    inBatches((first, count) =>
      boss.insert(
        queue,
        Array.from({ length: count }, (_, i) => ({ data: payload(first + i) })),
      ),
    ),
  async (done) => {
    while (done.seen.size < order.jobs) {
      await Promise.all(Array.from({ length: order.workers }, () => worker(done)));
    }
    await done.all;
  },
  () => boss.getDb().executeSql("analyze"),
);
await boss.stop({ graceful: false });
process.exit(0);
