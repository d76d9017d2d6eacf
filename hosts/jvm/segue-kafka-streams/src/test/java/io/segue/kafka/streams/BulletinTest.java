// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class BulletinTest {
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final Bulletin.Names NAMES = new Bulletin.Names(instance -> "mark." + instance, "assignor");
    private static final TopicPartition PLACE = new TopicPartition("orders", 0);

    private final Map<String, List<SideGroups.Entry>> groups = new HashMap<>();
    private final Set<String> unreadable = new HashSet<>();
    private final List<Set<String>> requests = new ArrayList<>();
    private final Complaints complaints = new Complaints("app.segue.");
    private final Bulletin bulletin = new Bulletin(this::read, NAMES, complaints);

    @Test
    void shouldKnowWhoIsMarked() {
        mark("a", 5);

        assertThat(marksOf(Set.of("a", "b"))).containsOnlyKeys("a");
    }

    @Test
    void shouldTakeTheNewestWhereTwoStand() {
        groups.put("mark.a", List.of(entry(5), entry(9), new SideGroups.Entry(PLACE, "nonsense")));

        assertThat(marksOf(Set.of("a")).get("a").sinceMs()).isEqualTo(9);
    }

    @Test
    void shouldGoByWhatWasKnownLastWhileNobodyAnswers() {
        mark("a", 5);
        marksOf(Set.of("a"));
        groups.clear();
        unreadable.add("mark.a");

        assertThat(marksOf(Set.of("a"))).containsOnlyKeys("a");
    }

    @Test
    void shouldStillTakeNewsOfThoseThatCanBeRead() {
        mark("a", 5);
        marksOf(Set.of("a", "b"));
        unreadable.add("mark.a");
        mark("b", 7);

        assertThat(marksOf(Set.of("a", "b"))).containsOnlyKeys("a", "b");
    }

    @Test
    void shouldForgetAMarkThatWasTakenBack() {
        mark("a", 5);
        marksOf(Set.of("a"));
        groups.clear();

        assertThat(marksOf(Set.of("a"))).isEmpty();
    }

    @Test
    void shouldForgetWhoIsNoMemberAnyMore() {
        mark("a", 5);
        marksOf(Set.of("a"));
        unreadable.add("mark.a");
        marksOf(Set.of("b"));

        assertThat(marksOf(Set.of("a"))).isEmpty();
    }

    @Test
    void shouldNotThrowWhenEvenAskingFails() {
        Bulletin broken = new Bulletin(
                (all, timeout, failed) -> {
                    throw new IllegalStateException("closed");
                },
                NAMES, complaints);

        assertThat(broken.read(Set.of("a"), TIMEOUT)).isEqualTo(new Bulletin.Posted(Map.of(), Optional.empty()));
    }

    @Test
    void shouldKnowWhichAssignorIsWishedFor() {
        swap("balanced", 5);

        assertThat(swap()).contains("balanced");
    }

    @Test
    void shouldGoByTheWishKnownLastWhileNobodyAnswers() {
        swap("balanced", 5);
        swap();
        groups.clear();
        unreadable.add("assignor");

        assertThat(swap()).contains("balanced");
    }

    @Test
    void shouldForgetAWishThatWasTakenBack() {
        swap("balanced", 5);
        swap();
        groups.clear();

        assertThat(swap()).isEmpty();
    }

    @Test
    void shouldAskForAllOfItAtOnce() {
        marksOf(Set.of("a", "b"));

        assertThat(requests).containsExactly(Set.of("mark.a", "mark.b", "assignor"));
    }

    @Test
    void shouldNameTheRightThatIsMissing() {
        assertThat(complaints.reason(new GroupAuthorizationException("app.segue.mark.a")))
                .contains("Read and Delete on groups with the prefix 'app.segue.'");
        assertThat(complaints.reason(new TimeoutException("x"))).isEqualTo("no answer in time");
    }

    private Map<String, Mark> marksOf(Set<String> instances) {
        return bulletin.read(instances, TIMEOUT).marks();
    }

    private Optional<String> swap() {
        return bulletin.read(Set.of(), TIMEOUT).swap().map(Swap::name);
    }

    private void swap(String name, long since) {
        groups.put("assignor", List.of(new SideGroups.Entry(PLACE, new Swap(name, since, "").json())));
    }

    private void mark(String instance, long since) {
        groups.put("mark." + instance, List.of(entry(since)));
    }

    private static SideGroups.Entry entry(long since) {
        return new SideGroups.Entry(PLACE, new Mark("a", since, OptionalLong.empty(), false, "").json());
    }

    private Map<String, List<SideGroups.Entry>> read(
            Collection<String> names, Duration timeout, SideGroups.FailedRead failed) {
        requests.add(Set.copyOf(names));
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
