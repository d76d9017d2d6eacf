// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/** Groups as a runtime might produce them: tasks claimed twice or gone, unknown lags, shared processes, odd names. */
final class RandomGroups {
    private static final long[] LAGS = {0, 1, 10_000, 10_001, Long.MAX_VALUE};
    private static final String[] NAMES = {"0", "1", "10", "9", "02", "sub", "\u00e4\u00f6", "2"};

    private final Random random;

    RandomGroups(Random random) {
        this.random = random;
    }

    Group next() {
        List<Task> tasks = tasks();
        List<Member> members = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int number = 0; number < count; number++) {
            members.add(member(number, count, tasks));
        }
        return group(tasks, members);
    }

    /** The same group, told in another order. */
    Group shuffled(Group group) {
        List<Task> tasks = new ArrayList<>(group.tasks());
        List<Member> members = new ArrayList<>();
        for (Member member : group.members()) {
            List<Copy> copies = new ArrayList<>(member.copies());
            Collections.shuffle(copies, random);
            members.add(new Member(member.id(), member.process(), member.threads(), member.rack(), member.tags(),
                    member.leaving(), copies));
        }
        Collections.shuffle(tasks, random);
        Collections.shuffle(members, random);
        return group(tasks, members);
    }

    private static Group group(List<Task> tasks, List<Member> members) {
        Group.Builder builder = Group.builder().nowMs(1_000).tagKeys(List.of("zone", "cluster"));
        tasks.forEach(builder::task);
        members.forEach(builder::member);
        return builder.build();
    }

    private List<Task> tasks() {
        List<Task> tasks = new ArrayList<>();
        for (String name : NAMES) {
            int partitions = random.nextInt(4);
            for (int partition = 0; partition < partitions; partition++) {
                Task task = random.nextInt(4) == 0 ? Task.stateless(name, partition) : Task.stateful(name, partition);
                tasks.add(random.nextBoolean() ? task : task.withWeight(0.5 + random.nextInt(3))
                        .withInputs(List.of(new InputPartition("t", partition, Set.of("r" + random.nextInt(3))))));
            }
        }
        return tasks;
    }

    private Member member(int number, int count, List<Task> tasks) {
        Member.Builder member = Member.builder("m" + number).threads(random.nextInt(4))
                .process("p" + random.nextInt(count)).tags(Map.of("zone", "z" + random.nextInt(2)));
        if (random.nextBoolean()) {
            member.rack("r" + random.nextInt(3));
        }
        if (random.nextInt(5) == 0) {
            member.leaving(new Leaving(0, random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(500)));
        }
        for (Task task : tasks) {
            if (random.nextInt(count) == 0) {
                member.copy(copy(task.id()));
            }
        }
        return random.nextInt(5) == 0 ? member.copy(copy("gone_0")).build() : member.build();
    }

    private Copy copy(String task) {
        Role role = Role.values()[random.nextInt(Role.values().length)];
        return random.nextInt(3) == 0 ? Copy.of(task, role) : Copy.of(task, role, LAGS[random.nextInt(LAGS.length)]);
    }
}
