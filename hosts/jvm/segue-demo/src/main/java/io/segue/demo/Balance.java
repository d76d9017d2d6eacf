// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Even shares of the partitions over instances of equal size, and what reaching them costs at least. */
final class Balance {
    private Balance() {
    }

    static boolean even(Collection<Integer> counts, int instances) {
        int least = counts.size() < instances ? 0 : counts.stream().min(Comparator.naturalOrder()).orElse(0);
        int most = counts.stream().max(Comparator.naturalOrder()).orElse(0);
        return most - least <= 1;
    }

    /** The least number of partitions that have to move; those with most keep the larger shares. */
    static int leastMoves(Collection<Integer> counts, int instances) {
        int total = counts.stream().mapToInt(Integer::intValue).sum();
        int larger = total % instances;
        List<Integer> descending = counts.stream().sorted(Comparator.reverseOrder()).toList();
        int moves = 0;
        for (int i = 0; i < descending.size(); i++) {
            int share = total / instances + (i < larger ? 1 : 0);
            moves += Math.max(0, descending.get(i) - share);
        }
        return moves;
    }
}
