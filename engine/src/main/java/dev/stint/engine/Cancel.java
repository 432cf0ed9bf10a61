package dev.stint.engine;

/** A wish that a running job stop, and until when its worker may take its time. */
public record Cancel(String reason, long requestedAt, long graceUntil) {}
