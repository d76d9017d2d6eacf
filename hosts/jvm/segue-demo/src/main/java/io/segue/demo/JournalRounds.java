// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.segue.Decision;
import io.segue.kafka.streams.AssignmentEvent;

/** The rebalances of a journal, and what they were for. Not thread-safe: the journal's lock is held. */
final class JournalRounds {
    private final List<EventRow> rows;
    private final List<Round> rounds = new ArrayList<>();
    private final List<Stop> stops = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();
    private Optional<Planned> pending = Optional.empty();
    private int generation = -1;

    private record Planned(long atNanos, AssignmentEvent plan) {
    }

    /** @param released by an owner that was there, so that it was the plan's doing */
    private record Stop(String task, String member, long atNanos, boolean released) {
    }

    JournalRounds(List<EventRow> rows) {
        this.rows = rows;
    }

    void clear() {
        rounds.clear();
        stops.clear();
        pending = Optional.empty();
    }

    void plan(long now, AssignmentEvent plan) {
        pending = Optional.of(new Planned(now, plan));
    }

    /** A member whose end the group finds out about by itself, at the round that comes of it. */
    void expect(String member) {
        expected.add(member);
    }

    void stopped(int partition, String member, long now, boolean released) {
        stops.add(new Stop("0_" + partition, member, now, released));
    }

    void enter(String member, boolean isNew, int ofGeneration, Collection<Integer> shares, int members) {
        if (ofGeneration > generation) {
            generation = ofGeneration;
            long at = pending.map(Planned::atNanos).orElseGet(System::nanoTime);
            expected.forEach(gone -> add(at - 1, "gone").with("member", gone));
            expected.clear();
            open(at, pending.map(Planned::plan), shares, members);
            pending = Optional.empty();
        }
        if (isNew && !rounds.isEmpty()) {
            Round round = rounds.get(rounds.size() - 1);
            round.joined().add(member);
            add(round.atNanos() - 1, "join").with("member", member);
        }
    }

    void open(long at, Optional<AssignmentEvent> plan, Collection<Integer> shares, int members) {
        rounds.add(new Round(at, plan, add(at, "rebalance"), List.copyOf(shares), members, new HashSet<>()));
    }

    /** Says of each round why it came and what it did, now that it is known how things went on. */
    void finish(Names names) {
        for (int i = 0; i < rounds.size(); i++) {
            Round round = rounds.get(i);
            long until = i + 1 < rounds.size() ? rounds.get(i + 1).atNanos() : Long.MAX_VALUE;
            String cause = i == 0 ? "begin" : cause(rounds.get(i - 1), round);
            describe(round, cause, moves(round.atNanos(), until));
            round.plan().ifPresent(plan -> plan.decisions().forEach(one -> tell(round, one, names)));
        }
    }

    private String cause(Round before, Round round) {
        if (!round.joined().isEmpty()) {
            return "joined";
        }
        if (has(before, round, row -> row.event().equals("gone"))) {
            return "left";
        }
        if (has(before, round, row -> row.event().equals("mark"))) {
            return "marked";
        }
        if (before.plan().map(AssignmentEvent::revokes).orElse(moves(before.atNanos(), round.atNanos()) > 0)) {
            return "revoked";
        }
        return has(before, round, row -> row.event().equals("ready")) ? "ready" : "follow-up";
    }

    private boolean has(Round before, Round round, Predicate<EventRow> wanted) {
        return rows.stream()
                .filter(row -> row.atNanos() > before.atNanos() && row.atNanos() <= round.atNanos())
                .anyMatch(wanted);
    }

    private void describe(Round round, String cause, int moves) {
        Optional<AssignmentEvent> plan = round.plan();
        boolean between = cause.equals("revoked") || cause.equals("begin");
        round.row()
                .with("cause", cause)
                .with("moves", plan.map(AssignmentEvent::moves).orElse(moves))
                .with("min_moves", plan.map(AssignmentEvent::minMoves)
                        .orElseGet(() -> between ? moves : Balance.leastMoves(round.shares(), round.members())))
                .with("learners", plan.map(AssignmentEvent::learners).orElseGet(() -> learnersAfter(round)))
                .with("members", round.members())
                .with("held_back", plan.map(AssignmentEvent::heldBack).orElse(0))
                .with("fallback", plan.flatMap(AssignmentEvent::fault).isPresent());
    }

    /** Tasks that a living owner gave up in between, and that somebody else went on with. */
    private int moves(long from, long until) {
        return (int) stops.stream()
                .filter(stop -> stop.released() && stop.atNanos() >= from && stop.atNanos() < until)
                .filter(stop -> rows.stream()
                        .filter(row -> row.event().equals("run") && row.atNanos() > stop.atNanos()
                                && row.fields().get("task").equals(stop.task()))
                        .min((a, b) -> Long.compare(a.atNanos(), b.atNanos()))
                        .filter(row -> !row.fields().get("member").equals(stop.member()))
                        .isPresent())
                .count();
    }

    /** Where nobody says it, those that began in it. */
    private int learnersAfter(Round round) {
        long until = rounds.stream().mapToLong(Round::atNanos).filter(at -> at > round.atNanos()).min().orElse(Long.MAX_VALUE);
        return (int) rows.stream()
                .filter(row -> row.atNanos() >= round.atNanos() && row.atNanos() < until)
                .filter(row -> "learner".equals(row.fields().get("role")))
                .count();
    }

    private void tell(Round round, Decision decision, Names names) {
        EventRow row = add(round.atNanos(), "decision").with("task", decision.task());
        decision.from().ifPresent(member -> row.with("from", names.in(member)));
        decision.to().ifPresent(member -> row.with("to", names.in(member)));
        row.with("kind", decision.kind()).with("reason", decision.reason()).with("text", names.in(decision.text()));
    }

    private EventRow add(long at, String event) {
        EventRow row = EventRow.of(at, event);
        rows.add(row);
        return row;
    }
}
