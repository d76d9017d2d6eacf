// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The topics that an instance reads: an entry in a side group needs one that exists. Safe from any thread. */
final class SourceTopics {
    private final Set<String> names = new TreeSet<>();

    synchronized void note(Collection<String> topics) {
        names.addAll(topics);
    }

    /** Those from outside first: what the application makes itself may not be there yet. */
    synchronized List<String> candidates(String application) {
        return names.stream().sorted(Comparator.comparing(name -> name.startsWith(application + "-"))).toList();
    }
}
