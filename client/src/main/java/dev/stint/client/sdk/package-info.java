/**
 * Workers and submitters in Java: a handler per job, many leases per call. docs/sdk.md shows it.
 */
@NullMarked
package dev.stint.client.sdk;

import org.jspecify.annotations.NullMarked;
