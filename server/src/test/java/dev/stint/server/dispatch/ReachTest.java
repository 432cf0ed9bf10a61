package dev.stint.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a name may lead. */
class ReachTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.127.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::7f00:1",
        "64:ff9b::7f00:1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "2001::1",
        "2002:7f00:1::",
        "100::1"
      })
  void aNameDoesNotLeadToAnAddressThatIsNotPublic(String address) throws UnknownHostException {
    assertThat(Reach.allows("worker.example.org", InetAddress.getByName(address))).isFalse();
    assertThat(Reach.allows("2130706433", InetAddress.getByName(address))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.1.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:4860::8888"
      })
  void aNameMayLeadToAPublicAddress(String address) throws UnknownHostException {
    assertThat(Reach.allows("worker.example.org", InetAddress.getByName(address))).isTrue();
    assertThat(Reach.allows("localhost", InetAddress.getByName(address))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "10.0.0.7", "[::1]", "[fd12::1]"})
  void anAddressThatIsNamedLiterallyIsReached(String host) throws UnknownHostException {
    assertThat(Reach.allows(host, InetAddress.getByName(host))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void localhostLeadsToThisMachine(String address) throws UnknownHostException {
    assertThat(Reach.allows("localhost", InetAddress.getByName(address))).isTrue();
    assertThat(Reach.allows("LOCALHOST", InetAddress.getByName(address))).isTrue();
  }
}
