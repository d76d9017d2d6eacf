// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;
import java.util.Optional;

/**
 * Which assignor counts: the one wished for where it is offered here, else the configured one.
 *
 * @param assignor the one that counts
 * @param configured what {@code segue.assignor} says
 * @param refused the one wished for, where it is not offered here
 */
record Choice(String assignor, String configured, Optional<String> refused) {
    static Choice of(String configured, Collection<String> offered, Optional<Swap> wish) {
        Optional<String> wanted = wish.map(Swap::name);
        return new Choice(
                wanted.filter(offered::contains).orElse(configured), configured,
                wanted.filter(name -> !offered.contains(name)));
    }

    /** Whether it heeds marks. */
    boolean heedsMarks() {
        return Settings.heedsMarks(assignor);
    }

    boolean swapped() {
        return !assignor.equals(configured);
    }
}
