package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SettingsTest {

  @Test
  void addressesAreReadAsPeopleWriteThem() {
    assertThat(Addresses.text(Addresses.parse("127.0.0.1:8080"))).isEqualTo("127.0.0.1:8080");
    assertThat(Addresses.parse(":80").getAddress().isAnyLocalAddress()).isTrue();
    assertThat(Addresses.parse("[::1]:80").getAddress().isLoopbackAddress()).isTrue();
    assertThat(Addresses.parse("localhost:0").getPort()).isZero();
  }

  @Test
  void aWrongAddressIsNamed() {
    for (String wrong : List.of("", "8080", "localhost", "a:b", ":65536", ":-1", "::1:80")) {
      assertThatThrownBy(() -> Addresses.parse(wrong))
          .as(wrong)
          .isInstanceOf(SettingException.class)
          .hasMessageStartingWith("--addr: ");
    }
  }

  @Test
  void otherMachinesMayReachItOnlyWithATokenOfItsOwn() {
    assertThatThrownBy(() -> settings(":8080", null))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("STINT_API_TOKEN");
    assertThat(settings(":8080", "s3cret").isDefaultLocal()).isFalse();
    assertThat(settings(":8080", "dev-token").isDefaultLocal()).isFalse();
    assertThat(settings("127.0.0.1:8080", null).isDefaultLocal()).isTrue();
    assertThat(settings("127.0.0.1:8080", "dev-token").isDefaultLocal()).isFalse();
  }

  @Test
  void aDatabaseUrlOfAnotherKindIsNotTakenForAFile() {
    for (String db :
        List.of("postgresql://localhost/x", "postgres://u:p@h/x", "jdbc:mysql://h/x")) {
      assertThatThrownBy(() -> Settings.local(db))
          .isInstanceOf(SettingException.class)
          .hasMessageStartingWith("--db: ")
          .hasMessageNotContaining("u:p");
    }
    for (String db : List.of("stint.db", "/var/lib/stint.db", "C:/stint.db", "jdbc:postgresql:x")) {
      assertThat(Settings.local(db).db()).isEqualTo(db);
    }
  }

  @Test
  void aTokenThatNoHeaderCanCarryIsRefused() {
    for (String token : List.of("", "two words", "ümlaut", "x\ny", "t".repeat(1_001))) {
      assertThatThrownBy(() -> settings("127.0.0.1:0", token))
          .isInstanceOf(SettingException.class)
          .hasMessageStartingWith("--token: ")
          .hasMessageNotContaining("words");
    }
  }

  @Test
  void aWrongPublicUrlOrPlaceOfDeliveryIsNamed() {
    for (String url :
        List.of("stint.example.org", "ftp://x", "http://", "http://u:p@h", "http://h?q")) {
      assertThatThrownBy(() -> new CallbackSettings(url, List.of(), null, 1))
          .as(url)
          .isInstanceOf(SettingException.class)
          .hasMessageStartingWith("--public-url: ");
    }
    for (String url :
        List.of("hooks.example.org", "http://h/a/../b", "http://h/%2e%2e/", "http://h/?q")) {
      assertThatThrownBy(() -> new CallbackSettings(null, List.of(url), null, 1))
          .as(url)
          .isInstanceOf(SettingException.class)
          .hasMessageStartingWith("--dispatch-allow: ");
    }
    assertThatThrownBy(() -> new CallbackSettings(null, List.of(), "short", 1))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("--dispatch-secret: ")
        .hasMessageNotContaining("short");
    assertThat(new CallbackSettings("https://h/x/", List.of(), null, 1).publicUrl())
        .isEqualTo("https://h/x");
  }

  @Test
  void aSecretIsNotShown() {
    assertThat(settings("127.0.0.1:0", "s3cret").toString()).doesNotContain("s3cret");
  }

  @Test
  void theUrlOfRedisIsCheckedAndItsPasswordNotShown() {
    Settings local = settings("127.0.0.1:0", null);
    for (String wrong : new String[] {"localhost:6379", "http://localhost", "redis://", "redis:"}) {
      assertThatThrownBy(() -> local.withRedis(wrong))
          .isInstanceOf(SettingException.class)
          .hasMessageContaining("--redis");
    }
    assertThatThrownBy(() -> local.withRedis("redis://:s3 cret@localhost"))
        .hasMessageContaining("redis://:password@host")
        .message()
        .doesNotContain("cret@");
    assertThat(local.withRedis("rediss://:s3cret@localhost:7000").redis())
        .hasToString("RedisSettings[address=rediss://localhost:7000, nativeLeaseSeconds=300]");
  }

  private static Settings settings(String address, @Nullable String token) {
    return new Settings(
        Addresses.parse(address),
        "x.db",
        token,
        60,
        Set.of("chat"),
        1,
        1,
        0,
        1,
        Settings.Fleet.DEFAULT,
        CallbackSettings.DEFAULT,
        Settings.Streams.DEFAULT,
        Settings.Security.DEFAULT,
        null);
  }
}
