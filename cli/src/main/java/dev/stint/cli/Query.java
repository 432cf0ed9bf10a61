package dev.stint.cli;

import dev.stint.client.Api;
import org.jspecify.annotations.Nullable;

/** A path with those parameters that have a value. */
final class Query {
  private final StringBuilder path;
  private char separator = '?';

  Query(String path) {
    this.path = new StringBuilder(path);
  }

  Query with(String name, @Nullable Object value) {
    if (value != null) {
      path.append(separator).append(name).append('=').append(Api.encoded(value.toString()));
      separator = '&';
    }
    return this;
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
