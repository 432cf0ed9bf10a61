package dev.stint.storage;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An ordered list of columns, named once, from which statements and row mappings take their order.
 */
record Columns(List<Column> list) {

  /** The kinds of value there are, by their names in PostgreSQL. */
  enum Kind {
    UUID,
    TEXT,
    BIGINT,
    BOOLEAN;

    private final String sqlName = name().toLowerCase(Locale.ROOT);

    String sqlName() {
      return sqlName;
    }
  }

  record Column(String name, Kind kind) {}

  static Columns uuids(String... names) {
    return of(Kind.UUID, names);
  }

  static Columns texts(String... names) {
    return of(Kind.TEXT, names);
  }

  static Columns numbers(String... names) {
    return of(Kind.BIGINT, names);
  }

  static Columns flags(String... names) {
    return of(Kind.BOOLEAN, names);
  }

  private static Columns of(Kind kind, String... names) {
    return new Columns(Stream.of(names).map(name -> new Column(name, kind)).toList());
  }

  Columns and(Columns more) {
    return new Columns(Stream.concat(list.stream(), more.list.stream()).toList());
  }

  int size() {
    return list.size();
  }

  /** {@code a, b}. */
  String names() {
    return joined("%s");
  }

  /** {@code table.a, table.b}. */
  String of(String table) {
    return joined(table + ".%s");
  }

  /** {@code ?, ?}. */
  String parameters() {
    return list.stream().map(column -> "?").collect(Collectors.joining(", "));
  }

  /** {@code a = ?, b = ?}. */
  String assignments() {
    return joined("%s = ?");
  }

  /** {@code a = table.a, b = table.b}. */
  String assignmentsFrom(String table) {
    return joined("%1$s = " + table + ".%1$s");
  }

  /** {@code ?::uuid[], ?::text[]}: one PostgreSQL array per column. */
  String arrays() {
    return list.stream()
        .map(column -> "?::" + column.kind.sqlName() + "[]")
        .collect(Collectors.joining(", "));
  }

  /** Where those of these names are that there are. */
  BitSet places(Set<String> names) {
    BitSet places = new BitSet();
    IntStream.range(0, list.size())
        .filter(i -> names.contains(list.get(i).name))
        .forEach(places::set);
    return places;
  }

  /** The places of all of them. */
  BitSet all() {
    BitSet all = new BitSet();
    all.set(0, list.size());
    return all;
  }

  /** The columns at these places. */
  Columns at(BitSet places) {
    return new Columns(places.stream().mapToObj(list::get).toList());
  }

  Columns first(int count) {
    return new Columns(list.subList(0, count));
  }

  /** {@code table.a, ?::bigint}: from the table what stands at these places, else a parameter. */
  String valuesFrom(String table, BitSet places) {
    return each(i -> valueFrom(table, places, i));
  }

  /** {@code a = table.a, b = ?::bigint}, the same way. */
  String assignmentsFrom(String table, BitSet places) {
    return each(i -> list.get(i).name + " = " + valueFrom(table, places, i));
  }

  private String valueFrom(String table, BitSet places, int i) {
    Column column = list.get(i);
    return places.get(i) ? table + "." + column.name : "?::" + column.kind.sqlName();
  }

  private String each(IntFunction<String> form) {
    return IntStream.range(0, list.size()).mapToObj(form).collect(Collectors.joining(", "));
  }

  private String joined(String form) {
    return list.stream()
        .map(column -> form.formatted(column.name))
        .collect(Collectors.joining(", "));
  }
}
