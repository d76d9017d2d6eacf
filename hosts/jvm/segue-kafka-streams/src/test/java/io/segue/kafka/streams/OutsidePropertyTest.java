// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.apache.kafka.common.TopicPartition;

/** What anybody may write: documents in side groups, and requests over HTTP. None of it stops an instance. */
class OutsidePropertyTest {
    private static final int TRIES = 1_000;
    private static final TopicPartition PLACE = new TopicPartition("orders", 0);
    private static final String[] KINDS = {"leaving", "assignor", "presence"};
    private static final List<String> KEYS = List.of(
            "v", "kind", "instance", "since_ms", "deadline_ms", "stay", "by", "name", "at_ms", "assignor", "assignors",
            "configured", "swap_refused", "led", "client_id");

    private final SegueInstance instance = new SegueInstance("learner");

    /** A cut, or other text in the place of one character. */
    private record Edit(int at, String text) {
        String make(String whole) {
            int place = at % (whole.length() + 1);
            return whole.substring(0, place) + text + whole.substring(Math.min(whole.length(), place + (at % 3)));
        }
    }

    private record Field(String key, JsonNode value) {}

    @Property(tries = TRIES, seed = "1")
    void shouldReadAMarkAsItWasWritten(
            @ForAll @StringLength(max = 40) String id, @ForAll @LongRange(max = Documents.GREATEST) long since,
            @ForAll @LongRange(min = -1, max = Documents.GREATEST) long deadline, @ForAll boolean stay,
            @ForAll @StringLength(max = 40) String by) {
        Mark mark = new Mark(id, since, deadline < 0 ? OptionalLong.empty() : OptionalLong.of(deadline), stay, by);
        assertThat(Mark.parse(mark.json())).contains(mark);
    }

    @Property(tries = TRIES, seed = "2", edgeCases = EdgeCasesMode.NONE)
    void shouldTakeOfABrokenDocumentOnlyWhatIsInRange(
            @ForAll("documents") ObjectNode document, @ForAll @Size(max = 3) List<@From("edits") Edit> edits) {
        assertHolds(edited(document.toString(), edits));
    }

    @Property(tries = TRIES, seed = "3")
    void shouldTakeNothingFromTextsThatAreNoDocuments(@ForAll String text) {
        assertHolds(text);
    }

    /** A number that is told as a text is none, as for the program {@code segue}. */
    @Property(tries = TRIES, seed = "4", edgeCases = EdgeCasesMode.NONE)
    void shouldTakeAFieldOnlyWhereItIsOfItsKind(@ForAll("documents") ObjectNode document) {
        Optional<Mark> mark = Mark.parse(document.toString());
        boolean counts = isTime(document.get("v")) && document.get("v").asLong() <= 1
                && isText(document.get("kind"), "leaving") && isTime(document.get("since_ms"));
        assertThat(mark.isPresent()).isEqualTo(counts);
        mark.ifPresent(read -> {
            assertThat(read.deadlineMs().isPresent()).isEqualTo(isTime(document.get("deadline_ms")));
            assertThat(read.stay()).isEqualTo(document.path("stay").equals(JsonNodeFactory.instance.booleanNode(true)));
            assertThat(read.by().isEmpty() || document.get("by").isTextual()).isTrue();
        });
    }

    @Property(tries = TRIES, seed = "5", edgeCases = EdgeCasesMode.NONE)
    void shouldKnowTheNewestMarkWhateverElseStandsThere(
            @ForAll @Size(max = 4) List<@From("documents") ObjectNode> documents, @ForAll @Size(max = 2) List<String> texts) {
        List<SideGroups.Entry> entries = Stream.concat(
                        documents.stream().map(ObjectNode::toString), texts.stream())
                .map(text -> new SideGroups.Entry(PLACE, text))
                .toList();
        Bulletin bulletin = new Bulletin(
                (groups, timeout, failed) -> Map.of("mark.a", entries, "assignor", entries),
                new Bulletin.Names(id -> "mark." + id, "assignor"), new Complaints("app.segue."));
        OptionalLong newest = entries.stream()
                .flatMap(entry -> Mark.parse(entry.text()).stream())
                .mapToLong(Mark::sinceMs)
                .max();
        Mark known = bulletin.read(Set.of("a"), Duration.ofSeconds(1)).marks().get("a");
        assertThat(known == null ? OptionalLong.empty() : OptionalLong.of(known.sinceMs())).isEqualTo(newest);
    }

    /** An instance that is not started takes no mark: 409 says that the body was understood. */
    @Property(tries = TRIES, seed = "6", edgeCases = EdgeCasesMode.NONE)
    void shouldUnderstandABodyOnlyWhereAllOfItMakesSense(
            @ForAll @Size(max = 3) List<@From("wishes") Field> wishes, @ForAll @Size(max = 1) List<@From("edits") Edit> edits) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        wishes.forEach(wish -> body.set(wish.key(), wish.value()));
        int status = api("").answer(ApiRequest.of("POST", "/drain").with(body.toString())).status();
        boolean makesSense = body.properties().stream().allMatch(field -> switch (field.getKey()) {
            case "timeout_ms" -> field.getValue().isIntegralNumber() && field.getValue().canConvertToLong()
                    && field.getValue().asLong() >= 0;
            case "stay" -> field.getValue().isBoolean();
            default -> false;
        });
        assertThat(status).as(body.toString()).isEqualTo(makesSense ? 409 : 400);
        assertAnswers(api(""), ApiRequest.of("POST", "/drain").with(edited(body.toString(), edits)));
    }

    @Property(tries = TRIES, seed = "7")
    void shouldAnswerAnyRequest(
            @ForAll("methods") String method, @ForAll("paths") String path, @ForAll Optional<String> authorization,
            @ForAll boolean browser, @ForAll @StringLength(max = 60) String body, @ForAll @StringLength(max = 20) String query) {
        ApiRequest request = new ApiRequest(
                method, path, authorization, browser ? Optional.of("http://evil") : Optional.empty(), body, query);
        assertAnswers(api(""), request);
        assertThat(assertAnswers(api("secret"), request).status()).as("nothing is changed without the token").isNotEqualTo(409);
    }

    @Provide
    Arbitrary<ObjectNode> documents() {
        Arbitrary<Field> field = Combinators.combine(Arbitraries.of(KEYS), values()).as(Field::new);
        return Combinators.combine(Arbitraries.of(KINDS), field.list().ofMaxSize(4)).as((kind, fields) -> {
            ObjectNode document = Documents.start(kind, "a").put("since_ms", 5).put("at_ms", 5).put("name", "balanced");
            fields.forEach(each -> document.set(each.key(), each.value()));
            return document;
        });
    }

    @Provide
    Arbitrary<JsonNode> values() {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return Arbitraries.of(
                json.nullNode(), json.booleanNode(true), json.booleanNode(false), json.arrayNode().add("a").add(7),
                json.objectNode().put("at_ms", 7).put("assignor", 3), json.textNode(""), json.textNode("true"),
                json.textNode("1"), json.textNode("leaving"), json.textNode("a\u001b[2J\n"), json.numberNode(0),
                json.numberNode(1), json.numberNode(2), json.numberNode(-1), json.numberNode(Documents.GREATEST),
                json.numberNode(Documents.GREATEST + 1), json.numberNode(Long.MIN_VALUE), json.numberNode(1.5),
                json.numberNode(new BigInteger("18446744073709551615")), json.numberNode(new BigDecimal("1e400")));
    }

    @Provide
    Arbitrary<Field> wishes() {
        return Combinators.combine(Arbitraries.of("timeout_ms", "timeout_ms", "stay", "Stay", ""), values()).as(Field::new);
    }

    @Provide
    Arbitrary<Edit> edits() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 1_000),
                        Arbitraries.of("", "", "{", "}", "[", "]", "\"", ":", ",", "\\u", "\\ud800", "\0", "9".repeat(400), "[".repeat(2_000)))
                .as(Edit::new);
    }

    @Provide
    Arbitrary<String> methods() {
        return Arbitraries.oneOf(Arbitraries.of("GET", "POST", "DELETE", "HEAD", "PUT"), Arbitraries.strings().ofMaxLength(8));
    }

    @Provide
    Arbitrary<String> paths() {
        return Arbitraries.oneOf(
                Arbitraries.of("/drain", "/ready", "/rebalance", "/metrics", "/drain/", "*"), Arbitraries.strings().ofMaxLength(20));
    }

    private static void assertHolds(String text) {
        Mark.parse(text).ifPresent(mark -> {
            assertThat(mark.sinceMs()).isBetween(0L, Documents.GREATEST);
            assertThat(mark.deadlineMs().orElse(0)).isBetween(0L, Documents.GREATEST);
            assertThat(mark.json().length()).isLessThan(Documents.MOST_BYTES + text.length());
        });
        Swap.parse(text).ifPresent(swap -> assertThat(swap.name()).matches("[!-~]{1,100}"));
        Seen.parse(text).ifPresent(seen -> {
            assertThat(seen.atMs()).isBetween(-1L, Documents.GREATEST);
            assertThat(seen.ledAtMs()).isBetween(-1L, Documents.GREATEST);
        });
    }

    private static boolean isTime(JsonNode value) {
        return value != null && value.isIntegralNumber()
                && value.bigIntegerValue().signum() >= 0
                && value.bigIntegerValue().compareTo(BigInteger.valueOf(Documents.GREATEST)) <= 0;
    }

    private static boolean isText(JsonNode value, String text) {
        return value != null && value.isTextual() && value.textValue().equals(text);
    }

    private static String edited(String text, List<Edit> edits) {
        for (Edit edit : edits) {
            text = edit.make(text);
        }
        return text;
    }

    private static ApiAnswer assertAnswers(DrainApi api, ApiRequest request) {
        ApiAnswer answer = api.answer(request);
        assertThat(answer.status()).isIn(200, 400, 401, 403, 404, 405, 409);
        assertThat(answer.status() == 200 || Documents.object(answer.body()).isPresent()).as(answer.body()).isTrue();
        return answer;
    }

    private DrainApi api(String token) {
        return new DrainApi(instance, () -> true, () -> "", Optional.of(token).filter(text -> !text.isEmpty()));
    }
}
