// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.Test;

class ConfirmationsTest {
    private final Confirmations confirmations = new Confirmations();
    private final CompletableFuture<String> heeded = new CompletableFuture<>();

    @Test
    void shouldWaitUntilTheLeaderHasUsedIt() throws Exception {
        confirmations.add(Optional.of("balanced"), 0, heeded);
        look(Optional.empty(), 1);
        look(leader("learner", "learner", "", "learner"), 2);
        look(leader("balanced", "learner", "", "learner"), 3);
        assertThat(heeded).isNotDone();

        look(leader("balanced", "learner", "", "balanced"), 4);

        assertThat(heeded.get(60, TimeUnit.SECONDS)).isEqualTo("balanced");
        assertThat(confirmations.any()).isFalse();
    }

    @Test
    void shouldSayThatTheLeaderDoesNotHaveIt() {
        confirmations.add(Optional.of("newest"), 0, heeded);
        look(leader("learner", "learner", "newest", "learner"), 1);

        assertThatThrownBy(() -> heeded.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("the leader orders-1 has no assignor newest, but balanced, learner");
    }

    @Test
    void shouldWaitUntilTheLeaderIsBackAtItsConfiguration() throws Exception {
        confirmations.add(Optional.empty(), 0, heeded);
        look(leader("balanced", "learner", "", "balanced"), 1);
        look(leader("learner", "learner", "", "balanced"), 2);
        assertThat(heeded).isNotDone();

        look(leader("learner", "learner", "", "learner"), 3);

        assertThat(heeded.get(60, TimeUnit.SECONDS)).isEqualTo("learner");
    }

    @Test
    void shouldNotWaitForEver() {
        confirmations.add(Optional.of("balanced"), 0, heeded);
        look(Optional.empty(), Confirmations.LONGEST_MS);

        assertThatThrownBy(() -> heeded.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("nobody has said that it leads");
    }

    @Test
    void shouldReadWhoLeadsFromAPresence() {
        Seen seen = Seen.parse(PresenceTest.SWAPPED).orElseThrow();

        assertThat(seen).isEqualTo(new Seen("orders-1", 5000, "balanced", "learner", Optional.empty(),
                List.of("balanced", "learner"), 1000, "balanced"));
    }

    @Test
    void shouldTakeNobodyForTheLeaderByATimeThatIsNotYet() {
        long now = 1_764_450_000_000L;

        assertThat(seen(now, now).leads(now)).isTrue();
        assertThat(seen(now + 60_000, now + 60_000).leads(now)).isTrue();
        assertThat(seen(now, now + 180_000).leads(now)).isFalse();
        assertThat(seen(now + 180_000, now).leads(now)).isFalse();
        assertThat(seen(now - 180_000, now).leads(now)).isFalse();
        assertThat(seen(Documents.GREATEST, Documents.GREATEST).leads(now)).isFalse();
        assertThat(seen(Long.MIN_VALUE, now).leads(now)).isFalse();
        assertThat(seen(now, -1).leads(now)).isFalse();
    }

    private static Seen seen(long atMs, long ledAtMs) {
        return Seen.parse(PresenceTest.SWAPPED.replace("\"at_ms\":5000", "\"at_ms\":" + atMs)
                .replace("\"led\":{\"at_ms\":1000", "\"led\":{\"at_ms\":" + ledAtMs)).orElseThrow();
    }

    private void look(Optional<Seen> leader, long now) {
        confirmations.look(leader, now);
    }

    private static Optional<Seen> leader(String assignor, String configured, String refused, String led) {
        return Optional.of(new Seen("orders-1", 1, assignor, configured,
                Optional.of(refused).filter(name -> !name.isEmpty()), List.of("balanced", "learner"), 1, led));
    }
}
