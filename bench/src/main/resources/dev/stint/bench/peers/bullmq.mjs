// BullMQ: takes its jobs one by one; it has batches for submitting only.
import { Queue, Worker } from "bullmq";
import { inBatches, order, payload, rounds } from "./rounds.mjs";

const connection = { host: "127.0.0.1", port: order.port, maxRetriesPerRequest: null };
const queue = new Queue("bench", { connection });

await rounds(
  () =>
    inBatches((first, count) =>
      queue.addBulk(
        Array.from({ length: count }, (_, i) => ({ name: "task", data: payload(first + i) })),
      ),
    ),
  async (done) => {
    const worker = new Worker(
      "bench",
      async () => {
        done.began();
      },
      { connection, concurrency: order.workers },
    );
    worker.on("completed", (job) => done.add(job.data.n));
    worker.on("error", (error) => done.reject(error));
    await done.all;
    done.ended();
    await worker.close();
  },
);
await queue.close();
process.exit(0);
