// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A wire plan in the names of its group. Section ids are those of SEGUE_PLAN_COLUMNS. */
final class PlanDecoder {
    private final CanonicalGroup rows;
    private final WireReader plan;
    private final long[] scalars;
    private final List<String> words;

    private PlanDecoder(CanonicalGroup rows, ByteBuffer plan, List<String> words) {
        this.rows = rows;
        this.plan = new WireReader(plan, Wire.PLAN_MAGIC);
        this.scalars = this.plan.longs(Wire.SCALARS);
        this.words = words;
    }

    /**
     * {@code words}: the follow-up's, then kind, reason and sentence of each decision.
     *
     * @throws SegueException if it is none: bytes are not trusted, wherever they come from
     */
    static Plan decode(String assignor, CanonicalGroup rows, ByteBuffer plan, List<String> words, Report report) {
        try {
            PlanDecoder decoder = new PlanDecoder(rows, plan, words);
            return new Plan(
                    assignor, decoder.members(), decoder.followup(), decoder.decisions(), decoder.stats(), report);
        } catch (IndexOutOfBoundsException malformed) {
            throw new SegueException("bad-wire", "that is no plan's wire message: " + malformed.getMessage(), malformed);
        }
    }

    private List<MemberPlan> members() {
        List<Lists> lists = rows.members.stream().map(member -> new Lists()).toList();
        int[] active = plan.ints(1);
        int[] learner = plan.ints(2);
        int[] standbyStart = plan.starts(3);
        int[] standby = plan.ints(4);
        for (int task = 0; task < rows.tasks.size(); task++) {
            String id = rows.tasks.get(task).id();
            lists.get(active[task]).active.add(id);
            if (learner[task] != Wire.NONE) {
                lists.get(learner[task]).learner.add(id);
            }
            for (int row = standbyStart[task]; row < standbyStart[task + 1]; row++) {
                lists.get(standby[row]).standby.add(id);
            }
        }
        return inGroupOrder(lists);
    }

    private List<MemberPlan> inGroupOrder(List<Lists> lists) {
        Map<String, MemberPlan> byId = new HashMap<>();
        for (int member = 0; member < lists.size(); member++) {
            String id = rows.members.get(member).id();
            Lists held = lists.get(member);
            byId.put(id, new MemberPlan(id, held.active, held.standby, held.learner));
        }
        return rows.group.members().stream().map(member -> byId.get(member.id())).toList();
    }

    private Followup followup() {
        long at = scalars[7];
        return new Followup(
                scalars[5] != 0, at == Wire.TIME_NONE ? OptionalLong.empty() : OptionalLong.of(at), words.get(0));
    }

    private Stats stats() {
        return new Stats(
                (int) scalars[8],
                (int) scalars[9],
                (int) scalars[10],
                (int) scalars[17],
                Double.longBitsToDouble(scalars[12]),
                Double.longBitsToDouble(scalars[15]),
                Double.longBitsToDouble(scalars[16]),
                scalars[13],
                scalars[14],
                (int) scalars[18],
                scalars[11] != 0);
    }

    private List<Decision> decisions() {
        int[] task = plan.ints(5);
        int[] from = plan.ints(8);
        int[] to = plan.ints(9);
        List<Decision> decisions = new ArrayList<>(task.length);
        for (int row = 0; row < task.length; row++) {
            int word = 1 + 3 * row;
            decisions.add(new Decision(
                    rows.tasks.get(task[row]).id(),
                    words.get(word),
                    words.get(word + 1),
                    member(from[row]),
                    member(to[row]),
                    words.get(word + 2)));
        }
        return decisions;
    }

    private Optional<String> member(int handle) {
        return handle == Wire.NONE ? Optional.empty() : Optional.of(rows.members.get(handle).id());
    }

    private static final class Lists {
        private final List<String> active = new ArrayList<>();
        private final List<String> standby = new ArrayList<>();
        private final List<String> learner = new ArrayList<>();
    }
}
