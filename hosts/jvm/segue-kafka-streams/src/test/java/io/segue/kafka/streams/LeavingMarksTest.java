// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class LeavingMarksTest {
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final TopicPartition PLACE = new TopicPartition("orders", 0);

    private final Map<String, List<SideGroups.Entry>> groups = new HashMap<>();
    private final Set<String> unreadable = new HashSet<>();
    private final Complaints complaints = new Complaints("app.segue.");
    private final LeavingMarks marks = new LeavingMarks(this::read, instance -> "mark." + instance, complaints);

    @Test
    void shouldKnowWhoIsMarked() {
        mark("a", 5);

        assertThat(marks.of(Set.of("a", "b"), TIMEOUT)).containsOnlyKeys("a");
    }

    @Test
    void shouldTakeTheNewestWhereTwoStand() {
        groups.put("mark.a", List.of(entry(5), entry(9), new SideGroups.Entry(PLACE, "nonsense")));

        assertThat(marks.of(Set.of("a"), TIMEOUT).get("a").sinceMs()).isEqualTo(9);
    }

    @Test
    void shouldGoByWhatWasKnownLastWhileNobodyAnswers() {
        mark("a", 5);
        marks.of(Set.of("a"), TIMEOUT);
        groups.clear();
        unreadable.add("mark.a");

        assertThat(marks.of(Set.of("a"), TIMEOUT)).containsOnlyKeys("a");
    }

    @Test
    void shouldStillTakeNewsOfThoseThatCanBeRead() {
        mark("a", 5);
        marks.of(Set.of("a", "b"), TIMEOUT);
        unreadable.add("mark.a");
        mark("b", 7);

        assertThat(marks.of(Set.of("a", "b"), TIMEOUT)).containsOnlyKeys("a", "b");
    }

    @Test
    void shouldForgetAMarkThatWasTakenBack() {
        mark("a", 5);
        marks.of(Set.of("a"), TIMEOUT);
        groups.clear();

        assertThat(marks.of(Set.of("a"), TIMEOUT)).isEmpty();
    }

    @Test
    void shouldForgetWhoIsNoMemberAnyMore() {
        mark("a", 5);
        marks.of(Set.of("a"), TIMEOUT);
        unreadable.add("mark.a");
        marks.of(Set.of("b"), TIMEOUT);

        assertThat(marks.of(Set.of("a"), TIMEOUT)).isEmpty();
    }

    @Test
    void shouldNotThrowWhenEvenAskingFails() {
        LeavingMarks broken = new LeavingMarks(
                (all, timeout, failed) -> {
                    throw new IllegalStateException("closed");
                },
                instance -> instance, complaints);

        assertThat(broken.of(Set.of("a"), TIMEOUT)).isEmpty();
    }

    @Test
    void shouldNameTheRightThatIsMissing() {
        assertThat(complaints.reason(new GroupAuthorizationException("app.segue.mark.a")))
                .contains("Read and Delete on groups with the prefix 'app.segue.'");
        assertThat(complaints.reason(new TimeoutException("x"))).isEqualTo("no answer in time");
    }

    private void mark(String instance, long since) {
        groups.put("mark." + instance, List.of(entry(since)));
    }

    private static SideGroups.Entry entry(long since) {
        return new SideGroups.Entry(PLACE, new Mark("a", since, OptionalLong.empty(), false, "").json());
    }

    private Map<String, List<SideGroups.Entry>> read(
            Collection<String> names, Duration timeout, SideGroups.FailedRead failed) {
        Map<String, List<SideGroups.Entry>> found = new HashMap<>();
        names.forEach(name -> {
            if (unreadable.contains(name)) {
                failed.read(name, new TimeoutException("late"));
            } else {
                found.put(name, groups.getOrDefault(name, List.of()));
            }
        });
        return found;
    }
}
