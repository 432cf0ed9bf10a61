package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class VacanciesTest {
  private final Vacancies vacancies = new Vacancies();

  @Test
  void whereNothingHasLeftLatelyNothingIsKnown() {
    assertThat(vacancies.seconds("q", 1)).isEqualTo(Vacancies.UNKNOWN_SECONDS);
  }

  @Test
  void theWaitIsAsLongAsTheQueueTakesToHaveRoom() {
    assertThat(vacancies.seconds("a", 1, 0.1, 0)).isEqualTo(10);
    assertThat(vacancies.seconds("b", 40, 2, 0)).isEqualTo(20);
    assertThat(vacancies.seconds("c", 1, 1_000, 0)).isEqualTo(Vacancies.LEAST_SECONDS);
    assertThat(vacancies.seconds("d", 1_000_000, 1, 0)).isEqualTo(Vacancies.MOST_SECONDS);
  }

  @Test
  void thoseWhoAreSentAwayAreSpreadOverTheRoomThatWillBeThere() {
    for (int i = 1; i <= 10; i++) {
      assertThat(vacancies.seconds("q", 1, 1, 0)).isEqualTo(i);
    }
    assertThat(vacancies.seconds("q", 1, 1, 5)).isEqualTo(6);
    assertThat(vacancies.seconds("q", 1, 1, 1_000)).isEqualTo(1);
  }

  @Test
  void theRateIsOfTheLastMinuteAsFarAsItWasSeen() {
    Throughput departures = new Throughput();
    departures.add(Map.of("q", 30), 100);
    assertThat(departures.perSecond("q", 100)).isEqualTo(30);
    assertThat(departures.perSecond("q", 109)).isEqualTo(3);
    departures.add(Map.of("q", 30), 129);
    assertThat(departures.perSecond("q", 159)).isEqualTo(1);
    assertThat(departures.perSecond("q", 500)).isZero();
    assertThat(departures.perSecond("other", 100)).isZero();
  }
}
