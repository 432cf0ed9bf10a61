package dev.stint.cli;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import java.io.IOException;

/** Waits for a job's end, whatever becomes of the connection meanwhile. */
final class Waiting {
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1_000;
  private static final int NOT_FOUND = 404;

  private final Contact contact;
  private final String path;

  private Waiting(ControlPlane control, String id) {
    this.contact = new Contact(control);
    this.path = "/jobs/" + Api.encoded(id);
  }

  /**
   * The exit status for a job, once it has ended.
   *
   * @param isShown whether a bar tells how it stands, and the job as it ended is given out where
   *     JSON is wanted; whoever followed the job has seen it all
   */
  static int exitCodeOf(ControlPlane control, String id, boolean isShown)
      throws IOException, InterruptedException {
    Answer last;
    try (JobBar bar = JobBar.on(isShown ? control.screen() : Screen.NONE)) {
      last = new Waiting(control, id).lastAnswer(bar);
    } catch (RefusedException e) {
      if (e.answer().status() == NOT_FOUND) {
        return gone(control, id);
      }
      throw e;
    }
    Fields job = new Fields(last.body());
    if (isShown && control.isJson()) {
      control.print(last.text());
    }
    if (JobStatus.of(job) != JobStatus.COMPLETED) {
      String error = job.text("last_error");
      control.say(
          "stint: job "
              + id
              + " is "
              + job.text("status")
              + (error.isEmpty() ? "" : ": " + Screen.line(error)));
    }
    return exitCode(job);
  }

  static int gone(ControlPlane control, String id) {
    control.say("stint: job " + id + " is gone");
    return ExitCodes.JOB_GONE;
  }

  /** Only of a job that has completed the exit status can be 0. */
  static int exitCode(Fields job) {
    JobStatus status = JobStatus.of(job);
    if (status == JobStatus.ABORTED) {
      return ExitCodes.JOB_ABORTED;
    }
    long own = job.number("exit_code");
    if (own == 0) {
      return status == JobStatus.COMPLETED ? ExitCodes.OK : ExitCodes.JOB_FAILED;
    }
    int shown = (int) (own & 0xff);
    return shown == 0 ? ExitCodes.JOB_FAILED : shown;
  }

  private Answer lastAnswer(JobBar bar) throws IOException, InterruptedException {
    long pause = FIRST_PAUSE_MS;
    while (true) {
      Answer answer = contact.get(path);
      if (answer != null) {
        Fields job = new Fields(answer.body());
        bar.show(job);
        if (JobStatus.isEnd(job)) {
          return answer;
        }
      }
      Thread.sleep(pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 3 / 2);
    }
  }
}
