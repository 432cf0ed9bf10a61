package dev.stint.worker.redis;

/** Where a worker stands: the stream of which Redis, and under what name in its group. */
record Station(RedisUrl url, String stream, String consumer) {}
