// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.stream.Stream;

/** An assignor's answer, or the reason why there is none, as a wire message. */
final class ProposalEncoder {
    private static final long AS_MOVES = 0xffff_ffffL;

    private final Group group;
    private final Map<String, Integer> tasks;
    private final Map<String, Integer> members;
    private final int[] active;
    private final int[] learner;
    private final List<TreeSet<Integer>> standbys;

    private ProposalEncoder(Group group) {
        this.group = group;
        tasks = CanonicalGroup.handles(group.tasks().stream().map(Task::id).toList());
        members = CanonicalGroup.handles(group.members().stream().map(Member::id).toList());
        active = new int[tasks.size()];
        learner = new int[tasks.size()];
        Arrays.fill(active, Wire.NONE);
        Arrays.fill(learner, Wire.NONE);
        standbys = Stream.generate(TreeSet<Integer>::new).limit(tasks.size()).toList();
    }

    /** The group's rows are in canonical order, as {@link GroupDecoder} has them. */
    static ByteBuffer encode(Group group, Proposal proposal) {
        ProposalEncoder encoder = new ProposalEncoder(group);
        proposal.members().forEach(encoder::take);
        return encoder.message(proposal);
    }

    static ByteBuffer fault(Throwable thrown) {
        String said = messageOf(thrown);
        String name = thrown.getClass().getSimpleName();
        WireWriter sections = new WireWriter();
        sections.bytes(Wire.FAULT, (said == null ? name : name + ": " + said).getBytes(StandardCharsets.UTF_8));
        return sections.message(Wire.PLAN_MAGIC);
    }

    /** Null where making it fails. */
    private static String messageOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (RuntimeException unsaid) {
            return null;
        }
    }

    private void take(MemberPlan plan) {
        int member = handle(members, plan.id(), "member");
        plan.active().forEach(task -> takeOnce(active, task, member, "active on"));
        plan.learner().forEach(task -> takeOnce(learner, task, member, "learned by"));
        plan.standby().forEach(task -> standbys.get(handle(tasks, task, "task")).add(member));
    }

    private void takeOnce(int[] column, String task, int member, String what) {
        int handle = handle(tasks, task, "task");
        if (column[handle] != Wire.NONE) {
            String other = group.members().get(column[handle]).id();
            throw new IllegalArgumentException("its plan: task " + task + " is " + what + " " + other + " already");
        }
        column[handle] = member;
    }

    private static int handle(Map<String, Integer> handles, String name, String kind) {
        Integer handle = handles.get(name);
        if (handle == null) {
            throw new IllegalArgumentException("its plan: the group has no " + kind + " " + name);
        }
        return handle;
    }

    private ByteBuffer message(Proposal proposal) {
        int[] start = new int[active.length + 1];
        for (int task = 0; task < active.length; task++) {
            start[task + 1] = start[task] + standbys.get(task).size();
        }
        int[] standby = standbys.stream().flatMap(TreeSet::stream).mapToInt(Integer::intValue).toArray();
        WireWriter sections = new WireWriter();
        sections.ints(1, active);
        sections.ints(2, learner);
        sections.ints(3, start);
        sections.ints(4, standby);
        sections.longs(Wire.SCALARS, scalars(proposal, standby.length));
        return sections.message(Wire.PLAN_MAGIC);
    }

    /** In the order of SEGUE_PLAN_SCALARS. */
    private long[] scalars(Proposal proposal, int standbyCount) {
        Followup followup = proposal.followup().orElseGet(this::whileLearning);
        long at = followup.atMs().orElse(Wire.TIME_NONE);
        long least = proposal.stats().map(stats -> (long) stats.minMoves()).orElse(AS_MOVES);
        long extra = proposal.stats().map(stats -> (long) stats.extraMoves()).orElse(0L);
        long held = proposal.stats().map(stats -> (long) stats.heldBack()).orElse(0L);
        long optimal = proposal.stats().map(Stats::optimal).orElse(true) ? 1 : 0;
        return new long[] {
            standbyCount, 0, active.length, standbyCount, 0, followup.needed() ? 1 : 0, reason(followup), at, 0, least,
            0, optimal, 0, 0, 0, 0, 0, extra, held
        };
    }

    private Followup whileLearning() {
        boolean learning = Arrays.stream(learner).anyMatch(member -> member != Wire.NONE);
        return new Followup(learning, OptionalLong.empty(), learning ? "learners-restoring" : "none");
    }

    private static int reason(Followup followup) {
        int code = Natives.followupCode(Buffers.text(followup.reason()));
        if (code < 0) {
            throw new IllegalArgumentException("its plan: " + followup.reason() + " is no reason for a follow-up");
        }
        return code;
    }
}
