package dev.stint.cli;

/** Standard output takes no more, so there is nothing to go on for. The program says why. */
final class OutputLostException extends RuntimeException {}
