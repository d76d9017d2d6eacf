// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Collection;
import java.util.List;

/** The measurement of one instance's joining or going, from its construction to {@link #result}. */
final class Event {
    private final List<Instance> instances;
    private final Ledger ledger;
    private final OutputWatch output;
    private final int before;
    private final Collection<Integer> owned;
    private final long rebalances;
    private final long start = Millis.now();

    Event(List<Instance> instances, Ledger ledger, OutputWatch output) {
        this.instances = instances;
        this.ledger = ledger;
        this.output = output;
        this.before = instances.size();
        this.owned = List.copyOf(ledger.owners().values());
        this.rebalances = instances.get(0).rebalances();
        instances.forEach(instance -> instance.copies().restart());
        ledger.restart();
        output.restart();
    }

    EventResult result() {
        return result(Balance.leastMoves(owned, instances.size()));
    }

    /** @param leastMoves where it is not the shares alone that say it */
    EventResult result(int leastMoves) {
        List<HandOver> handOvers = ledger.handOvers();
        return new EventResult(
                before,
                instances.size(),
                ledger.silences(),
                output.silences(),
                ledger.vacancies(),
                handOvers,
                handOvers.size(),
                leastMoves,
                instances.get(0).rebalances() - rebalances,
                instances.stream().mapToInt(instance -> instance.copies().built()).sum(),
                Math.max(0, ledger.lastHandOver() - start));
    }
}
