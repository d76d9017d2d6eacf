// SPDX-License-Identifier: Apache-2.0
package io.segue;

/**
 * An assignor that is written in Java, registered by {@link Segue#register(String, Assignor)}.
 *
 * <p>Its answer is a function of what it is given alone: no clock, no memory of earlier calls, no order of the input, so
 * that any leader plans the same. It is judged as a plugin's is; where it breaks a rule, or throws, the fallback answers
 * and the plan's report says why. It may ask for the plan of another assignor and change that.
 *
 * <p>Thread: several at once, whichever ask for a plan. Blocking: the group's leader waits for it.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface Assignor {
    /**
     * Who should hold what after the rebalance.
     *
     * @param group what the leader knows. Of a task's inputs it has the number, and for each rack how many have a replica
     *     there; topics are not told to assignors and are empty
     * @param configuration what is not at its default
     */
    Proposal assign(Group group, Configuration configuration) throws Exception;

    /** Its version, for people. */
    default String version() {
        return "";
    }

    /** What it is, in one line for people. */
    default String summary() {
        return "";
    }

    /** Whether it moves state without having it replayed first. The rules R4 to R6 and R9 are not asked of it then. */
    default boolean movesCold() {
        return false;
    }

    /**
     * Whether it promises no drain, no exact number of standbys and no rest once everything is in place, as a baseline to
     * compare with does.
     */
    default boolean loose() {
        return false;
    }

    /** Whether it heeds marks of leaving members. If not, its plans are judged as if nobody were marked. */
    default boolean knowsLeaving() {
        return false;
    }
}
