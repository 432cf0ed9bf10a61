package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatabaseTest {
  @Test
  void aPasswordIsNeverShown() {
    assertThat(Database.withoutSecrets("jdbc:postgresql://h:5432/stint?user=u&password=p"))
        .isEqualTo("jdbc:postgresql://h:5432/stint");
    assertThat(Database.withoutSecrets("jdbc:postgresql://u:p@h/stint"))
        .isEqualTo("jdbc:postgresql://h/stint");
    assertThat(Database.withoutSecrets("jdbc:postgresql:stint?password=a?b"))
        .isEqualTo("jdbc:postgresql:stint");
  }

  @Test
  void aFileIsNamedWithWhatMakesItDurable() {
    assertThat(Database.sqlite("jobs.db").durability())
        .containsEntry("synchronous", "FULL")
        .containsKeys("filesystem", "sync");
  }
}
