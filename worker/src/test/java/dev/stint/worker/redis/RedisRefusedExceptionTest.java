package dev.stint.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisRefusedExceptionTest {
  @ParameterizedTest
  @CsvSource({
    "LOADING Redis is loading the dataset in memory, true",
    "NOREPLICAS Not enough good replicas to write., true",
    "MASTERDOWN Link with MASTER is down, true",
    "ERR max number of clients reached, true",
    "BUSY Redis is busy running a script., true",
    "BUSYGROUP Consumer Group name already exists, false",
    "ERR unknown command, false",
    "NOAUTH Authentication required., false"
  })
  void whatPassesIsKnownFromWhatDoesNot(String refusal, boolean isForLater) {
    assertThat(new RedisRefusedException(refusal).isForLater()).isEqualTo(isForLater);
  }
}
