package dev.stint.server.dispatch;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Which addresses a host may lead to. A name leads to public addresses only, whatever DNS says of
 * it; what is not public has to be named by its address, or as localhost.
 */
final class Reach {
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  private Reach() {}

  /** Whether a connection that was asked for by {@code host} may go to {@code address}. */
  static boolean allows(String host, InetAddress address) {
    if (isLiteral(host)) {
      return true;
    }
    return host.toLowerCase(Locale.ROOT).equals("localhost")
        ? address.isLoopbackAddress()
        : isPublic(address);
  }

  static boolean isLiteral(String host) {
    return host.startsWith("[") || IPV4.matcher(host).matches();
  }

  static boolean isPublic(InetAddress address) {
    byte[] bytes = address.getAddress();
    return address instanceof Inet4Address ? isPublicV4(bytes) : isPublicV6(bytes);
  }

  private static boolean isPublicV4(byte[] bytes) {
    int a = bytes[0] & 0xff;
    int b = bytes[1] & 0xff;
    int c = bytes[2] & 0xff;
    boolean isSpecial =
        switch (a) {
          case 0, 10, 127 -> true;
          case 100 -> (b & 0xc0) == 64; // between a provider and its customers
          case 169 -> b == 254;
          case 172 -> (b & 0xf0) == 16;
          case 192 -> b == 168 || (b == 0 && (c == 0 || c == 2)) || (b == 88 && c == 99);
          case 198 -> (b & 0xfe) == 18 || (b == 51 && c == 100);
          case 203 -> b == 0 && c == 113;
          default -> a >= 224; // multicast, reserved, broadcast
        };
    return !isSpecial;
  }

  /** Global unicast only; and of that not what stands for IPv4 addresses or examples. */
  private static boolean isPublicV6(byte[] bytes) {
    int first = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    int second = (bytes[2] & 0xff) << 8 | (bytes[3] & 0xff);
    boolean isGlobal = (first & 0xe000) == 0x2000;
    boolean isSpecial =
        first == 0x2002 || (first == 0x2001 && (second < 0x0200 || second == 0x0db8));
    return isGlobal && !isSpecial;
  }
}
