package dev.stint.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/**
 * Finds addresses by their names as usual, but no names by their addresses: nothing here needs one,
 * and Helidon asks for the name of every client that speaks TLS before it shakes hands with it.
 */
public final class NamelessAddresses extends InetAddressResolverProvider {

  @Override
  public String name() {
    return "stint";
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver usual = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        return usual.lookupByName(host, policy);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        throw new UnknownHostException("addresses have no names here");
      }
    };
  }
}
