// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MarkTest {
    private static final String ID = "0b7c6a0e-0000-0000-0000-000000000001";

    @Test
    void shouldBeReadAsItWasWritten() {
        Mark mark = new Mark(ID, 1000, OptionalLong.of(61_000), true, "segue drain");
        assertThat(Mark.parse(mark.json())).contains(mark);
    }

    @Test
    void shouldNeedNoMoreThanATime() {
        assertThat(Mark.parse("{\"v\":1,\"kind\":\"leaving\",\"since_ms\":5,\"unknown\":[1]}"))
                .contains(new Mark("", 5, OptionalLong.empty(), false, ""));
    }

    /** The program and Python are held against the same table. */
    @ParameterizedTest
    @MethodSource("table")
    void shouldCountWhereItCountsForEveryHost(String what, String text, JsonNode expected) {
        Optional<Mark> mark = Mark.parse(text);
        assertThat(mark.isPresent()).as(what).isEqualTo(expected.isObject());
        mark.ifPresent(found -> {
            assertThat(found.sinceMs()).isEqualTo(expected.path("since_ms").asLong());
            assertThat(found.deadlineMs()).isEqualTo(expected.path("deadline_ms").isNull()
                    ? OptionalLong.empty()
                    : OptionalLong.of(expected.path("deadline_ms").asLong()));
            assertThat(found.stay()).isEqualTo(expected.path("stay").asBoolean());
            assertThat(found.by()).isEqualTo(expected.path("by").asText());
        });
    }

    static Stream<Arguments> table() throws IOException {
        JsonNode rows = new ObjectMapper().readTree(Path.of("../../../tests/marks/table.json").toFile()).path("rows");
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> Arguments.of(row.path("what").asText(), row.path("text").asText(), row.path("mark")));
    }

    /** As one that has passed it would force all tasks away at once. */
    @Test
    void shouldHaveNoDeadlineWhereThatIsNoTime() {
        for (String deadline : new String[] {"18446744073709551615", "-1", "1e3", "\"soon\"", "null"}) {
            Mark mark = Mark.parse("{\"v\":1,\"kind\":\"leaving\",\"since_ms\":5,\"deadline_ms\":" + deadline + "}")
                    .orElseThrow();
            assertThat(mark.deadlineMs()).as(deadline).isEmpty();
        }
    }

    @Test
    void shouldKeepItsBeginningWhenMarkedAgain() {
        Mark mark = Mark.now(ID, 1000, Optional.of(Duration.ofSeconds(10)), false, "me");
        assertThat(mark.again(5000, Optional.of(Duration.ofSeconds(20)), false))
                .isEqualTo(new Mark(ID, 1000, OptionalLong.of(25_000), false, "me"));
    }

    @Test
    void shouldTakeTheApplicationsTimeoutWhereItHasNone() {
        Mark mark = Mark.now(ID, 1000, Optional.empty(), false, "me");
        assertThat(mark.within(OptionalLong.of(500)).overdue(1500)).isTrue();
        assertThat(mark.within(OptionalLong.empty()).overdue(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void shouldKeepItsOwnDeadlineBesideTheApplications() {
        Mark mark = Mark.now(ID, 1000, Optional.of(Duration.ofSeconds(10)), false, "me");
        assertThat(mark.within(OptionalLong.of(1)).overdue(2000)).isFalse();
    }

    @Test
    void shouldTakeATimeoutThatNobodyLivesToSee() {
        Mark mark = Mark.now(ID, 1000, Optional.of(Duration.ofSeconds(Long.MAX_VALUE)), false, "me");
        assertThat(mark.deadlineMs()).hasValue(Documents.GREATEST);
        assertThat(Mark.parse(mark.json())).contains(mark);
    }

    @Test
    void shouldFitIntoAnOffsetsMetadataWhoeverMarks() {
        Mark mark = Mark.now(ID, 1000, Optional.empty(), false, "x".repeat(5000));
        assertThat(mark.json().length()).isLessThan(Documents.MOST_BYTES);
        assertThat(Mark.parse(mark.json())).isPresent();
    }
}
