package dev.stint.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one measurement has to say: what it was made with, a table, what was aimed at, and notes.
 * Text, JSON and Markdown are made of it, so that no measurement has to write its own.
 */
final class Sheet {
  private final String name;
  private final String title;
  private final List<String> columns;
  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<List<Object>> rows = new ArrayList<>();
  private final List<Aim> aims = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private Optional<Chart> chart = Optional.empty();

  /** Which column is worth a picture, and what names its bars. */
  record Chart(String value, List<String> labels, boolean isLog) {}

  /**
   * Something that was to be reached.
   *
   * @param bound in words, such as "at least 0.5"
   * @param value empty where it could not be measured
   */
  record Aim(String what, String bound, Optional<Double> value, boolean isReached) {
    String verdict() {
      if (value.isEmpty()) {
        return "not measured";
      }
      return isReached ? "reached" : "missed";
    }
  }

  Sheet(String name, String title, String... columns) {
    this.name = name;
    this.title = title;
    this.columns = List.of(columns);
  }

  Sheet fact(String what, String value) {
    facts.put(what, value);
    return this;
  }

  /** Texts and numbers, one for each column; an empty Optional is shown as a dash. */
  Sheet row(Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + columns);
    }
    List<Object> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell instanceof Optional<?> maybe ? maybe.map(Object.class::cast).orElse("-") : cell);
    }
    rows.add(List.copyOf(row));
    return this;
  }

  Sheet atLeast(String what, double bound, Optional<Double> value) {
    return aim(what, "at least " + Cells.show(bound), value, value.filter(v -> v >= bound));
  }

  Sheet atMost(String what, double bound, Optional<Double> value) {
    return aim(what, "at most " + Cells.show(bound), value, value.filter(v -> v <= bound));
  }

  private Sheet aim(String what, String bound, Optional<Double> value, Optional<Double> reached) {
    aims.add(new Aim(what, bound, value, reached.isPresent()));
    return this;
  }

  Sheet note(String text) {
    notes.add(text);
    return this;
  }

  /** Has a column drawn as bars, which are named by some others. */
  Sheet chart(String value, boolean isLog, String... labels) {
    chart = Optional.of(new Chart(value, List.of(labels), isLog));
    return this;
  }

  Optional<Chart> chart() {
    return chart;
  }

  /** One word, for a program. */
  String name() {
    return name;
  }

  String title() {
    return title;
  }

  List<String> columns() {
    return columns;
  }

  Map<String, String> facts() {
    return facts;
  }

  List<List<Object>> rows() {
    return rows;
  }

  List<Aim> aims() {
    return aims;
  }

  List<String> notes() {
    return notes;
  }
}
