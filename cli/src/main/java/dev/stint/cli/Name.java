package dev.stint.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Whom or what a command is about. An empty one, as a script's variable that was never set gives
 * it, would call for something else.
 */
final class Name implements ITypeConverter<String> {
  @Override
  public String convert(String value) {
    if (value.isEmpty()) {
      throw new TypeConversionException("must not be empty");
    }
    return value;
  }
}
