// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What HTTP offers, as a function of a request. {@code GET} changes nothing; what changes something wants the token,
 * where one is set, and is refused to browsers, because any page may send requests to a loopback address. So does the last
 * rebalance, which {@code segue plan} asks for.
 */
final class DrainApi {
    private static final long MOST_WAITING_MS = 8_000;

    private final SegueInstance instance;
    private final BooleanSupplier ready;
    private final Supplier<String> metrics;
    private final Optional<String> token;

    DrainApi(SegueInstance instance, BooleanSupplier ready, Supplier<String> metrics, Optional<String> token) {
        this.instance = instance;
        this.ready = ready;
        this.metrics = metrics;
        this.token = token;
    }

    ApiAnswer answer(ApiRequest request) {
        return switch (request.path()) {
            case "/drain" -> drain(request);
            case "/ready" -> read(request, this::readiness);
            case "/rebalance" -> read(request, () -> refusal(request).orElseGet(this::rebalance));
            case "/metrics" -> read(request, () -> new ApiAnswer(200, "text/plain; version=0.0.4", metrics.get()));
            default -> ApiAnswer.fault(404, "there are /drain, /ready, /rebalance and /metrics");
        };
    }

    private static ApiAnswer read(ApiRequest request, Supplier<ApiAnswer> answer) {
        return request.method().equals("GET")
                ? answer.get()
                : ApiAnswer.fault(405, request.path() + " can only be read: GET");
    }

    private ApiAnswer drain(ApiRequest request) {
        if (!request.query().isEmpty()) { // dropped unread it would be a drain without the deadline that was meant
            return ApiAnswer.fault(400, "/drain takes no query: what is wished for stands in the body, as "
                    + "{\"timeout_ms\":600000}");
        }
        return switch (request.method()) {
            case "GET" -> ApiAnswer.json(200, document(instance.drainState()));
            case "POST" -> refusal(request).orElseGet(() -> mark(request.body()));
            case "DELETE" -> refusal(request).orElseGet(this::cancel);
            default -> ApiAnswer.fault(405, "/drain knows GET, POST and DELETE");
        };
    }

    private Optional<ApiAnswer> refusal(ApiRequest request) {
        if (request.origin().isPresent()) {
            return Optional.of(ApiAnswer.fault(403, "a page in a browser may not drain an instance"));
        }
        boolean allowed = token.isEmpty() || request.authorization().map(this::right).orElse(false);
        return allowed
                ? Optional.empty()
                : Optional.of(ApiAnswer.fault(401, "the header 'Authorization: Bearer …' has to carry "
                        + Settings.HTTP_TOKEN));
    }

    private boolean right(String authorization) {
        return MessageDigest.isEqual(
                authorization.getBytes(StandardCharsets.UTF_8),
                ("Bearer " + token.orElse("")).getBytes(StandardCharsets.UTF_8));
    }

    private ApiAnswer mark(String body) {
        Optional<JsonNode> wish = body.isBlank() ? Optional.of(Documents.object()) : Documents.object(body);
        if (wish.isEmpty()) {
            return ApiAnswer.fault(400, "the body has to be a JSON object such as {\"timeout_ms\":600000}");
        }
        JsonNode timeout = wish.get().path("timeout_ms");
        boolean number = timeout.isIntegralNumber() && timeout.canConvertToLong() && timeout.asLong() >= 0;
        if (!timeout.isMissingNode() && !number) {
            return ApiAnswer.fault(400, "timeout_ms has to be a number of milliseconds, 0 or more");
        }
        JsonNode stay = wish.get().path("stay");
        if (!stay.isMissingNode() && !stay.isBoolean()) {
            return ApiAnswer.fault(400, "stay has to be true or false");
        }
        if (wish.get().size() > (number ? 1 : 0) + (stay.isBoolean() ? 1 : 0)) {
            return ApiAnswer.fault(400, "a drain knows timeout_ms and stay, and nothing else");
        }
        return done(() -> instance.mark(
                        timeout.isMissingNode() ? Optional.empty() : Optional.of(Duration.ofMillis(timeout.asLong())),
                        stay.asBoolean(false)));
    }

    private ApiAnswer cancel() {
        return done(instance::cancelDrain);
    }

    private ApiAnswer done(Supplier<CompletableFuture<?>> change) {
        try {
            change.get().get(MOST_WAITING_MS, TimeUnit.MILLISECONDS);
            return ApiAnswer.json(200, document(instance.drainState()));
        } catch (IllegalStateException impossible) {
            return ApiAnswer.fault(409, impossible.getMessage());
        } catch (ExecutionException fault) {
            return ApiAnswer.fault(503, "Kafka did not take it: " + fault.getCause().getMessage());
        } catch (TimeoutException fault) {
            return ApiAnswer.fault(503, "Kafka did not answer in time; ask again");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return ApiAnswer.fault(503, "closing");
        }
    }

    private ApiAnswer readiness() {
        boolean works = ready.getAsBoolean();
        return ApiAnswer.json(works ? 200 : 503, Documents.object()
                .put("ready", works)
                .put("state", instance.drainState().phase().word()));
    }

    /** Names of tasks and members are not for everybody, so it takes the token. */
    private ApiAnswer rebalance() {
        return instance.lastRebalance()
                .map(frame -> new ApiAnswer(200, "application/octet-stream", frame))
                .orElseGet(() -> ApiAnswer.fault(404,
                        "another instance led the last rebalance, or there was no plan: segue status says which"));
    }

    /** {@code timestamp}, in seconds, is what operators for delayed downscaling read; 0 means not marked. */
    private static ObjectNode document(DrainState state) {
        ObjectNode document = Documents.object()
                .put("state", state.phase().word())
                .put("timestamp", state.since().map(at -> at.getEpochSecond()).orElse(0L));
        state.since().ifPresent(at -> document.put("since_ms", at.toEpochMilli()));
        state.deadline().ifPresent(at -> document.put("deadline_ms", at.toEpochMilli()));
        return document.put("tasks_left", state.tasksLeft()).put("ready_to_stop", state.readyToStop());
    }
}
