// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** A group out of its wire message: what {@link GroupEncoder} wrote, or libsegue. Rows stay in canonical order. */
final class GroupDecoder {
    private static final Role[] ROLES = Role.values();
    /** Of all tasks together: they are counted and not listed, so that the message's size is no bound. */
    private static final int MOST_INPUTS = 1 << 20;

    private final WireReader message;
    private final long[] scalars;
    private final String[] strings;

    private GroupDecoder(ByteBuffer group) {
        message = new WireReader(group, Wire.GROUP_MAGIC);
        scalars = message.longs(Wire.SCALARS);
        strings = strings(message.starts(1), message.bytes(2));
    }

    /** @throws SegueException if it is none: bytes are not trusted, wherever they come from */
    static Group decode(ByteBuffer group) {
        try {
            return new GroupDecoder(group).group();
        } catch (IndexOutOfBoundsException | IllegalArgumentException malformed) {
            throw new SegueException("bad-wire", "that is no group's wire message: " + malformed.getMessage(), malformed);
        }
    }

    private static String[] strings(int[] offsets, byte[] bytes) {
        String[] strings = new String[Math.max(offsets.length - 1, 0)];
        for (int row = 0; row < strings.length; row++) {
            strings[row] = new String(bytes, offsets[row], offsets[row + 1] - offsets[row], StandardCharsets.UTF_8);
        }
        return strings;
    }

    private Group group() {
        Group.Builder group = Group.builder().nowMs(scalars[0]).tagKeys(names(23));
        List<Task> tasks = tasks();
        tasks.forEach(group::task);
        members(tasks).forEach(group::member);
        return group.build();
    }

    private List<String> names(int section) {
        return Arrays.stream(message.ints(section)).mapToObj(name -> strings[name]).toList();
    }

    private List<Task> tasks() {
        List<String> subtopologies = names(3);
        int[] subtopology = message.ints(5);
        int[] partition = message.ints(6);
        byte[] stateful = message.bytes(7);
        double[] weight = message.doubles(8);
        long[] stateBytes = message.longs(9);
        List<List<InputPartition>> inputs = inputs(subtopology.length);
        List<Task> tasks = new ArrayList<>();
        for (int row = 0; row < subtopology.length; row++) {
            tasks.add(new Task(
                    subtopologies.get(subtopology[row]),
                    partition[row],
                    stateful[row] != 0,
                    weight.length == 0 ? 1 : weight[row],
                    known(stateBytes, row, Wire.BYTES_UNKNOWN),
                    inputs.get(row)));
        }
        return tasks;
    }

    /** One input for each that is counted; a rack stands at the first of them that it has a replica of. */
    private List<List<InputPartition>> inputs(int tasks) {
        List<String> rackNames = names(22);
        int[] count = message.ints(10);
        int[] start = message.starts(11);
        int[] rack = message.ints(12);
        int[] having = message.ints(13);
        if (Arrays.stream(count).mapToLong(Integer::toUnsignedLong).sum() > MOST_INPUTS) {
            throw new IllegalArgumentException("its tasks have more than " + MOST_INPUTS + " inputs");
        }
        List<List<InputPartition>> inputs = new ArrayList<>();
        for (int task = 0; task < tasks; task++) {
            List<Set<String>> racks = new ArrayList<>();
            for (int input = 0; count.length > 0 && input < count[task]; input++) {
                racks.add(new HashSet<>());
            }
            for (int row = start.length == 0 ? 0 : start[task]; start.length > 0 && row < start[task + 1]; row++) {
                String name = rackNames.get(rack[row]);
                racks.subList(0, having[row]).forEach(one -> one.add(name));
            }
            inputs.add(numbered(racks));
        }
        return inputs;
    }

    private static List<InputPartition> numbered(List<Set<String>> racks) {
        List<InputPartition> inputs = new ArrayList<>();
        racks.forEach(names -> inputs.add(new InputPartition("", inputs.size(), names)));
        return inputs;
    }

    private List<Member> members(List<Task> tasks) {
        List<String> names = names(14);
        List<String> processes = names(21);
        List<String> racks = names(22);
        int[] process = message.ints(15);
        int[] threads = message.ints(16);
        int[] rack = message.ints(17);
        long[] since = message.longs(18);
        long[] deadline = message.longs(19);
        List<Map<String, String>> tags = tags(names.size());
        List<List<Copy>> copies = copies(names.size(), tasks);
        List<Member> members = new ArrayList<>();
        for (int row = 0; row < names.size(); row++) {
            OptionalLong leaving = known(since, row, Wire.TIME_NONE);
            OptionalLong forced = known(deadline, row, Wire.TIME_NONE);
            members.add(new Member(
                    names.get(row),
                    processes.get(process[row]),
                    threads[row],
                    rack.length == 0 || rack[row] == Wire.NONE ? Optional.empty() : Optional.of(racks.get(rack[row])),
                    tags.get(row),
                    leaving.isPresent()
                            ? Optional.of(new Leaving(leaving.getAsLong(), forced))
                            : Optional.empty(),
                    copies.get(row)));
        }
        return members;
    }

    private List<Map<String, String>> tags(int members) {
        List<String> keys = names(23);
        int[] values = message.ints(20);
        List<Map<String, String>> tags = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            Map<String, String> own = new HashMap<>();
            for (int key = 0; key < keys.size(); key++) {
                int value = values[key * members + member];
                if (value != Wire.NONE) {
                    own.put(keys.get(key), strings[value]);
                }
            }
            tags.add(own);
        }
        return tags;
    }

    private List<List<Copy>> copies(int members, List<Task> tasks) {
        int[] start = message.starts(24);
        int[] task = message.ints(25);
        byte[] role = message.bytes(26);
        long[] lag = message.longs(27);
        List<List<Copy>> copies = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            List<Copy> own = new ArrayList<>();
            for (int row = start[member]; row < start[member + 1]; row++) {
                String id = tasks.get(task[row]).id();
                own.add(lag.length == 0
                        ? Copy.of(id, ROLES[role[row]])
                        : new Copy(id, ROLES[role[row]], known(lag, row, Wire.LAG_UNKNOWN)));
            }
            copies.add(own);
        }
        return copies;
    }

    private static OptionalLong known(long[] column, int row, long unknown) {
        return column.length == 0 || column[row] == unknown ? OptionalLong.empty() : OptionalLong.of(column[row]);
    }
}
