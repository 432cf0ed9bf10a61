package dev.stint.worker.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.client.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A Redis that takes connections and says nothing. */
@Timeout(30)
class JobKeysTest {
  @Test
  void noConnectionIsOpenedOnceTheWorkerStops() throws Exception {
    Patience patience = new Patience("Redis");
    patience.stop();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        JobKeys keys =
            new JobKeys(
                new Station(
                    RedisUrl.parse("redis://127.0.0.1:" + silent.getLocalPort()), "s", "w1"),
                patience)) {
      RedisJob job = new RedisJob("s", "1-1", Map.of("job_id", "j1"), keys);
      assertThatThrownBy(() -> keys.end(job, "done", "", ""))
          .isInstanceOf(IOException.class)
          .hasMessage("the worker stops");
    }
  }
}
