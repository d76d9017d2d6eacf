// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;

import io.segue.Recorded;

/**
 * A round that was computed here.
 *
 * @param led in numbers, as it is published
 * @param recorded as a whole; empty where there was no plan
 */
record LedRound(Led led, Optional<Recorded> recorded) {}
