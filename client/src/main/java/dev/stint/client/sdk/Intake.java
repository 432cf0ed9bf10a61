package dev.stint.client.sdk;

import java.util.List;

/** Where leases go that were given. */
interface Intake {
  /** Begins with {@code leases}, in slots that were set aside for them; the rest is free again. */
  void take(int slots, List<Lease> leases);
}
