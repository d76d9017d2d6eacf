// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A unit of assignment: a Kafka Streams client, or one consumer.
 *
 * @param id its name, unique in the group
 * @param process where its state lives: members of one process share a disk
 * @param threads its capacity, 0 or more
 * @param rack the rack where it runs; empty when unknown
 * @param tags its values of the tags that the group compares
 * @param leaving the mark of a member that is to be emptied; empty for one that stays
 * @param copies what it holds
 * @since 1.0
 */
public record Member(
        String id,
        String process,
        int threads,
        Optional<String> rack,
        Map<String, String> tags,
        Optional<Leaving> leaving,
        List<Copy> copies) {

    /** Copies what is given; refuses a negative number of threads. */
    public Member {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(process, "process");
        Objects.requireNonNull(rack, "rack");
        Objects.requireNonNull(leaving, "leaving");
        tags = Map.copyOf(tags);
        copies = List.copyOf(copies);
        if (threads < 0) {
            throw new IllegalArgumentException("member " + id + ": threads is " + threads + ", below 0");
        }
    }

    /** Starts a member of one thread that is a process of its own and holds nothing. */
    public static Builder builder(String id) {
        return new Builder(id);
    }

    /**
     * Collects a member. Not for use by two threads at once.
     *
     * @since 1.0
     */
    public static final class Builder {
        private final String id;
        private final List<Copy> copies = new ArrayList<>();
        private String process;
        private int threads = 1;
        private Optional<String> rack = Optional.empty();
        private Map<String, String> tags = Map.of();
        private Optional<Leaving> leaving = Optional.empty();

        private Builder(String id) {
            this.id = id;
            this.process = id;
        }

        /** The process whose disk it shares. */
        public Builder process(String name) {
            process = name;
            return this;
        }

        /** Its capacity. */
        public Builder threads(int count) {
            threads = count;
            return this;
        }

        /** The rack where it runs. */
        public Builder rack(String name) {
            rack = Optional.of(name);
            return this;
        }

        /** Its tags. */
        public Builder tags(Map<String, String> values) {
            tags = values;
            return this;
        }

        /** Marks it as leaving. */
        public Builder leaving(Leaving mark) {
            leaving = Optional.of(mark);
            return this;
        }

        /** Adds one thing that it holds. */
        public Builder copy(Copy copy) {
            copies.add(copy);
            return this;
        }

        /** Adds tasks that it owns and has caught up on. */
        public Builder active(String... tasks) {
            for (String task : tasks) {
                copies.add(Copy.of(task, Role.ACTIVE));
            }
            return this;
        }

        /** The member. */
        public Member build() {
            return new Member(id, process, threads, rack, tags, leaving, copies);
        }
    }
}
