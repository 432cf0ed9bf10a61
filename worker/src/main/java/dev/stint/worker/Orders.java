package dev.stint.worker;

import dev.stint.client.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the control plane says about a job that runs here.
 *
 * @param isAbandon this worker does not hold it: to be ended, and not reported
 * @param cancelReason to be ended and reported, or null to go on
 */
record Orders(boolean isAbandon, @Nullable String cancelReason) {

  /** By job id, out of {@code current_job} and the list that names all. */
  static Map<String, Orders> of(Answer answer, String list) {
    List<Map<?, ?>> jobs = new ArrayList<>(answer.objects(list));
    if (answer.body().get("current_job") instanceof Map<?, ?> one) {
      jobs.add(one);
    }
    Map<String, Orders> orders = new HashMap<>();
    for (Map<?, ?> job : jobs) {
      String reason = String.valueOf(job.get("cancel_reason"));
      orders.put(
          String.valueOf(job.get("job_id")),
          new Orders(
              "abandon".equals(job.get("action")),
              Boolean.TRUE.equals(job.get("cancel")) ? reason : null));
    }
    return orders;
  }
}
