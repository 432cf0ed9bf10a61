package dev.stint.bench;

import java.util.List;

/** A situation that a server has to stand, and what is measured in it. */
interface Scenario {

  Sheet run(Setting setting) throws RunFailedException;

  /**
   * How large it is to be.
   *
   * @param count of jobs, claims, leases, workers or starts, as the scenario has it
   * @param seconds how long each of its cases is measured
   * @param warmUpSeconds how long the load runs before
   */
  record Setting(
      int count,
      double seconds,
      double warmUpSeconds,
      List<Contender.Storage> storages,
      Work work) {}

  /** Shows how far a scenario is. */
  interface Work {
    /** Something of so many steps begins; whoever does it closes it. */
    Step begin(String what, long steps);

    /** A part of the work. */
    interface Step extends AutoCloseable {
      void advance(long steps);

      @Override
      void close();
    }

    /** For whom nobody looks. */
    Work SILENT =
        (what, steps) ->
            new Step() {
              @Override
              public void advance(long more) {}

              @Override
              public void close() {}
            };
  }
}
