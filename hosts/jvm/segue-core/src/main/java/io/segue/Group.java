// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the leader of a group sees at a rebalance. Immutable; safe for any thread.
 *
 * <p>The order in which tasks, members and copies were added means nothing for the plan; a plan names members in the
 * order in which they were added here.
 *
 * @since 1.0
 */
public final class Group {
    private final long nowMs;
    private final List<Task> tasks;
    private final List<Member> members;
    private final List<String> tagKeys;

    private Group(Builder builder) {
        nowMs = builder.nowMs;
        tasks = List.copyOf(builder.tasks);
        members = List.copyOf(builder.members);
        tagKeys = List.copyOf(builder.tagKeys);
    }

    /** Starts a group without tasks and members, at time 0. */
    public static Builder builder() {
        return new Builder();
    }

    /** The leader's clock, in milliseconds. */
    public long nowMs() {
        return nowMs;
    }

    /** Its tasks, in the order given. */
    public List<Task> tasks() {
        return tasks;
    }

    /** Its members, in the order given. */
    public List<Member> members() {
        return members;
    }

    /** The tags by which copies are kept apart, in the order of their weight. */
    public List<String> tagKeys() {
        return tagKeys;
    }

    /**
     * Collects a group. Not for use by two threads at once.
     *
     * @since 1.0
     */
    public static final class Builder {
        private final List<Task> tasks = new ArrayList<>();
        private final List<Member> members = new ArrayList<>();
        private final Set<String> taskIds = new HashSet<>();
        private final Set<String> memberIds = new HashSet<>();
        private List<String> tagKeys = List.of();
        private long nowMs;

        private Builder() {}

        /** The leader's clock, in milliseconds. */
        public Builder nowMs(long time) {
            nowMs = time;
            return this;
        }

        /** Adds a task; its id must be new. */
        public Builder task(Task task) {
            if (!taskIds.add(task.id())) {
                throw new IllegalArgumentException("task " + task.id() + " was added before");
            }
            tasks.add(task);
            return this;
        }

        /** Adds tasks with state, numbered from 0. */
        public Builder subtopology(String name, int partitions) {
            for (int partition = 0; partition < partitions; partition++) {
                task(Task.stateful(name, partition));
            }
            return this;
        }

        /** Adds a member; its id must be new. */
        public Builder member(Member member) {
            if (!memberIds.add(member.id())) {
                throw new IllegalArgumentException("member " + member.id() + " was added before");
            }
            members.add(member);
            return this;
        }

        /** The tags by which copies are kept apart, the weightiest first. */
        public Builder tagKeys(List<String> keys) {
            tagKeys = keys;
            return this;
        }

        /** The group. */
        public Group build() {
            return new Group(this);
        }
    }
}
