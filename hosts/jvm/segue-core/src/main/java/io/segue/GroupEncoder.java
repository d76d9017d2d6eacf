// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** A group and its configuration as one wire message. Section ids are those of SEGUE_GROUP_COLUMNS. */
final class GroupEncoder {
    private final CanonicalGroup rows;
    private final StringTable strings = new StringTable();
    private final WireWriter sections = new WireWriter();

    private GroupEncoder(CanonicalGroup rows) {
        this.rows = rows;
    }

    static ByteBuffer encode(CanonicalGroup rows, long[] configuration) {
        return new GroupEncoder(rows).message(configuration);
    }

    private ByteBuffer message(long[] configuration) {
        int[] subtopologyNames = strings.handles(rows.subtopologies);
        int[] taskNames = tasks(task -> strings.handle(task.id()));
        int[] memberNames = members(member -> strings.handle(member.id()));
        int[] processNames = strings.handles(rows.processes);
        int[] rackNames = strings.handles(rows.racks);
        int[] tagNames = strings.handles(rows.group.tagKeys());
        int[] memberTags = memberTags();
        TaskRacks racks = new TaskRacks(rows);
        CopyRows copies = new CopyRows(rows);

        sections.ints(1, strings.offsets());
        sections.bytes(2, strings.bytes());
        sections.ints(3, subtopologyNames);
        writeTasks(taskNames);
        writeTaskRacks(racks);
        writeMembers(memberNames);
        writeLeaving();
        sections.ints(20, memberTags);
        sections.ints(21, processNames);
        sections.ints(22, rackNames);
        sections.ints(23, tagNames);
        copies.write(sections);
        sections.longs(Wire.SCALARS, scalars(racks, copies));
        sections.longs(Wire.CONFIG, configuration);
        return sections.message(Wire.GROUP_MAGIC);
    }

    private void writeTasks(int[] names) {
        Map<String, Integer> subtopologies = CanonicalGroup.handles(rows.subtopologies);
        sections.ints(4, names);
        sections.ints(5, tasks(task -> subtopologies.get(task.subtopology())));
        sections.ints(6, tasks(Task::partition));
        byte[] stateful = new byte[rows.tasks.size()];
        for (int task = 0; task < stateful.length; task++) {
            stateful[task] = (byte) (rows.tasks.get(task).stateful() ? 1 : 0);
        }
        sections.bytes(7, stateful);
        sections.doubles(8, rows.tasks.stream().mapToDouble(Task::weight).toArray());
        sections.longs(9, rows.tasks.stream()
                .mapToLong(task -> task.stateBytes().orElse(Wire.BYTES_UNKNOWN))
                .toArray());
    }

    private void writeTaskRacks(TaskRacks racks) {
        if (racks.known()) {
            sections.ints(10, tasks(task -> task.inputs().size()));
            sections.ints(11, racks.start());
            sections.ints(12, racks.rack());
            sections.ints(13, racks.inputs());
        }
    }

    private void writeMembers(int[] names) {
        Map<String, Integer> processes = CanonicalGroup.handles(rows.processes);
        Map<String, Integer> racks = CanonicalGroup.handles(rows.racks);
        sections.ints(14, names);
        sections.ints(15, members(member -> processes.get(member.process())));
        sections.ints(16, members(Member::threads));
        sections.ints(17, members(member -> member.rack().map(racks::get).orElse(Wire.NONE)));
    }

    private void writeLeaving() {
        sections.longs(18, memberTimes(leaving -> leaving.sinceMs()));
        sections.longs(19, memberTimes(leaving -> leaving.deadlineMs().orElse(Wire.TIME_NONE)));
    }

    private long[] memberTimes(ToLongFunction<Leaving> time) {
        return rows.members.stream()
                .mapToLong(member -> member.leaving().map(time::applyAsLong).orElse(Wire.TIME_NONE))
                .toArray();
    }

    private int[] memberTags() {
        List<String> keys = rows.group.tagKeys();
        int[] tags = new int[Math.multiplyExact(keys.size(), rows.members.size())];
        int at = 0;
        for (String key : keys) {
            for (Member member : rows.members) {
                String value = member.tags().get(key);
                tags[at++] = value == null ? Wire.NONE : strings.handle(value);
            }
        }
        return tags;
    }

    /** In the order of SEGUE_GROUP_SCALARS. */
    private long[] scalars(TaskRacks racks, CopyRows copies) {
        return new long[] {
            rows.group.nowMs(),
            strings.count(),
            strings.bytes().length,
            rows.subtopologies.size(),
            rows.tasks.size(),
            rows.members.size(),
            rows.processes.size(),
            copies.count(),
            rows.racks.size(),
            racks.count(),
            rows.group.tagKeys().size()
        };
    }

    private int[] tasks(ToIntFunction<Task> column) {
        return rows.tasks.stream().mapToInt(column).toArray();
    }

    private int[] members(ToIntFunction<Member> column) {
        return rows.members.stream().mapToInt(column).toArray();
    }
}
