package dev.stint.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Patience;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HandsTest {
  @Test
  void aJobForWhichThereIsNoThreadIsLetGoAndTheWorkerGoesOn() throws Exception {
    Station station = new Station(RedisUrl.parse("redis://127.0.0.1:9"), "s", "w1");
    JobKeys keys = new JobKeys(station, new Patience("Redis"));
    Hands hands =
        new Hands(
            1,
            job -> "never",
            keys,
            ended -> {},
            work -> {
              throw new OutOfMemoryError("unable to create native thread");
            });

    hands.take(new RedisJob("s", "1-1", Map.of("job_id", "j1"), keys));

    assertThat(hands.all()).isEmpty();
    assertThat(hands.awaitFree()).isEqualTo(1);
  }
}
