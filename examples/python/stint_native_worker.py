#!/usr/bin/env python3
"""A native worker for Stint: takes jobs from a Redis stream, with the standard library alone.

    STINT_REDIS=redis://localhost:6379 python3 stint_native_worker.py

It speaks to Redis only, as docs/contracts/gateway.md says: no HTTP, no control plane to be reached.
Put your own work into handle(). It gives no signs of life meanwhile and does not heed cancelling, so
a job has to be done within --native-lease-seconds of the server (300).
"""

import argparse
import json
import os
import signal
import socket
import ssl
import sys
import time
import urllib.parse

GROUP = "workers"
OVER = ("done", "error", "canceled")


def handle(task, payload):
    """The work: takes what the job says, and gives a result that json can write."""
    if "fail" in payload:
        raise ValueError(payload["fail"])
    text = str(payload.get("prompt", payload.get("_raw", "")))
    return {"task": task, "answer": text[::-1]}


class Refused(Exception):
    """Redis answered with an error."""


class Redis:
    """Enough of the Redis protocol to send a command and read its answer."""

    def __init__(self, url, timeout=30):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("redis", "rediss") or not parts.hostname:
            raise ValueError("the URL must be of the form redis://host:port, or rediss:// for TLS")
        self.socket = socket.create_connection((parts.hostname, parts.port or 6379), timeout)
        if parts.scheme == "rediss":
            context = ssl.create_default_context()
            self.socket = context.wrap_socket(self.socket, server_hostname=parts.hostname)
        self.answers = self.socket.makefile("rb")
        if parts.password:
            login = [urllib.parse.unquote(word) for word in (parts.username, parts.password) if word]
            self.call("AUTH", *login)
        if parts.path.strip("/"):
            self.call("SELECT", parts.path.strip("/"))

    def call(self, *words):
        self.send(words)
        answer = self.read()
        if isinstance(answer, Refused):
            raise answer
        return answer

    def transaction(self, commands):
        """All of them or none."""
        for words in [("MULTI",), *commands, ("EXEC",)]:
            self.send(words)
        answers = [self.read() for _ in range(len(commands) + 2)]
        for answer in answers:
            if isinstance(answer, Refused):
                raise answer

    def send(self, words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
        self.socket.sendall(b"".join(parts))

    def read(self):
        line = self.answers.readline()
        if not line:
            raise ConnectionError("Redis hung up")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return Refused(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            if int(rest) < 0:
                return None
            return self.answers.read(int(rest) + 2)[:-2].decode()
        if kind == b"*":
            return None if int(rest) < 0 else [self.read() for _ in range(int(rest))]
        raise ConnectionError("this is not Redis")

    def close(self):
        self.answers.close()
        self.socket.close()


class Worker:
    def __init__(self, url, stream, name):
        self.url, self.stream, self.name = url, stream, name
        self.stopping = False

    def run(self):
        """Works until told to stop; a Redis that is away is waited for."""
        pause = 0.5
        while not self.stopping:
            try:
                self.redis = Redis(self.url)
                try:
                    self.create_group()
                    pause = 0.5
                    self.work()
                finally:
                    self.redis.close()
            except (OSError, Refused) as problem:
                print(f"Redis is away, trying again: {problem}", file=sys.stderr, flush=True)
                time.sleep(pause)
                pause = min(pause * 2, 10)

    def create_group(self):
        try:
            self.redis.call("XGROUP", "CREATE", self.stream, GROUP, "0", "MKSTREAM")
        except Refused as problem:
            if not str(problem).startswith("BUSYGROUP"):
                raise

    def work(self):
        start = "0"  # first what this worker had when it was killed, then what is new
        while not self.stopping:
            answer = self.redis.call(
                "XREADGROUP", "GROUP", GROUP, self.name,
                "COUNT", 1, "BLOCK", 1000, "STREAMS", self.stream, start)
            messages = answer[0][1] if answer else []
            for message_id, fields in messages:
                self.do(message_id, dict(zip((fields or [])[::2], (fields or [])[1::2])))
                start = message_id if start != ">" else start
            if not messages:
                start = ">"

    def do(self, message_id, message):
        """One job, in the order of the contract: state, event, work, state, event, XACK."""
        job_id = message.get("job_id", "")
        if not job_id or self.redis.call("HGET", f"job:{job_id}", "status") in OVER:
            self.redis.call("XACK", self.stream, GROUP, message_id)
            return
        self.redis.transaction(self.told(job_id, {"status": "running"}, "running"))
        try:
            result = handle(message.get("task", ""), parsed(message.get("payload", "{}")))
            fields = {"status": "done", "result": json.dumps(result), "error": ""}
        except Exception as problem:
            error = {"code": type(problem).__name__, "message": str(problem)}
            fields = {"status": "error", "result": "", "error": json.dumps(error)}
        steps = self.told(job_id, fields, fields["status"])
        self.redis.transaction([*steps, ("XACK", self.stream, GROUP, message_id)])
        print(f"{job_id} {fields['status']}", flush=True)

    def told(self, job_id, fields, event):
        """The commands that set the job's state, emit an event, and keep both for its TTL."""
        job, events, now = f"job:{job_id}", f"job:{job_id}:events", int(time.time() * 1000)
        ttl = int(self.redis.call("HGET", job, "ttl_s") or 3600)
        state = [word for pair in {**fields, "updated_ts": now}.items() for word in pair]
        data = json.dumps({"worker_id": self.name})
        commands = [
            ("HSET", job, *state),
            ("XADD", events, "*", "type", event, "ts", now, "step", f"worker.{event}", "data", data),
        ]
        # To EXPIRE keys with 0 would remove them.
        return commands + [("EXPIRE", key, ttl) for key in (job, events) if ttl > 0]

    def stop(self, *_):
        self.stopping = True


def parsed(payload):
    try:
        value = json.loads(payload)
        return value if isinstance(value, dict) else {"_raw": payload}
    except ValueError:
        return {"_raw": payload}


def main():
    options = argparse.ArgumentParser(description="A native worker for Stint.")
    options.add_argument("--redis", default=os.environ.get("STINT_REDIS", "redis://localhost:6379"),
                         help="where Redis is [STINT_REDIS]")
    options.add_argument("--stream", default="jobs:stream", help="where to take jobs from")
    options.add_argument("--name", default=f"{socket.gethostname()}-{os.getpid()}",
                         help="under the same name a worker takes up what it had when it was killed")
    given = options.parse_args()
    worker = Worker(given.redis, given.stream, given.name)
    signal.signal(signal.SIGTERM, worker.stop)
    signal.signal(signal.SIGINT, worker.stop)
    try:
        worker.run()
    except ValueError as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
