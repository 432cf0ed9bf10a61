/** The {@code gateway} contract: clients that submit, read and cancel jobs under /v1/jobs. */
@NullMarked
package dev.stint.contracts.gateway;

import org.jspecify.annotations.NullMarked;
