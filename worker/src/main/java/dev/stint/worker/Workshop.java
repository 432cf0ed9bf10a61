package dev.stint.worker;

import dev.stint.client.Patience;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all parts of one worker share.
 *
 * @param runs what it has in hand just now
 */
record Workshop(
    WorkerSettings settings,
    Patience patience,
    State state,
    ControlPlane control,
    Reporter reporter,
    LogFiles files,
    Set<Run> runs) {

  static Workshop of(WorkerSettings settings) {
    Patience patience = new Patience();
    State state = new State(settings.stateFile());
    ControlPlane control = new ControlPlane(settings, patience);
    return new Workshop(
        settings,
        patience,
        state,
        control,
        new Reporter(control, state),
        new LogFiles(settings.logDir()),
        ConcurrentHashMap.newKeySet());
  }
}
