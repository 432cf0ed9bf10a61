package dev.stint.redis;

/** Another control plane shows jobs, or may do so: this one must not. */
final class LeadLostException extends RuntimeException {
  LeadLostException() {
    super("another control plane shows jobs");
  }
}
