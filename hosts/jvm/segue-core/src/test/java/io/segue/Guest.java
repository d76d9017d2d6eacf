// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * An application in a class loader of its own: asks the plugin, and an assignor of its own that asks the plugin. Takes what
 * is to be done and gives an answer as text, since only the platform's types are known on both sides.
 */
public final class Guest implements UnaryOperator<String>, AutoCloseable {
    private final Segue segue;

    /** @param isolation as {@code segue.isolation} */
    public Guest(String isolation) {
        segue = Segue.open("", Configuration.of(Map.of("segue.isolation", isolation)));
        segue.register("own", new Asking());
    }

    @Override
    public String apply(String assignor) {
        return segue.assign(assignor, group(), Configuration.defaults()).members().toString();
    }

    @Override
    public void close() {
        segue.close();
    }

    private static Group group() {
        return Group.builder()
                .subtopology("0", 4)
                .member(Member.builder("S1").active("0_0", "0_1", "0_2", "0_3").build())
                .member(Member.builder("S2").build())
                .build();
    }

    /** Opens another instance for each call: one that it kept would keep it as well, and neither would be freed. */
    private static final class Asking implements Assignor {
        @Override
        public Proposal assign(Group asked, Configuration configuration) {
            try (Segue another = Segue.open()) {
                return Proposal.of(another.assign("learner", asked, configuration));
            }
        }
    }
}
