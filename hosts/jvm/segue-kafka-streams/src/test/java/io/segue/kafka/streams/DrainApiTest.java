// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What HTTP answers, without a socket; the server itself at a free port. */
class DrainApiTest {
    private final SegueInstance instance = new SegueInstance("learner");
    private final DrainApi open = api(Optional.empty());
    private final DrainApi guarded = api(Optional.of("secret"));
    private boolean ready = true;

    @Test
    void shouldTellTheStateOfAnInstanceThatIsNotMarked() {
        ApiAnswer answer = open.answer(ApiRequest.of("GET", "/drain"));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("\"state\":\"running\"", "\"timestamp\":0", "\"ready_to_stop\":false");
    }

    @Test
    void shouldSayWhyItCannotBeDrained() {
        instance.cannot("segue.assignor=learner heeds no marks");

        ApiAnswer answer = open.answer(ApiRequest.of("POST", "/drain"));

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.body()).contains("learner heeds no marks");
    }

    @Test
    void shouldRefuseABodyThatMakesNoSense() {
        for (String body : List.of("10m", "[]", "{\"timeout_ms\":-1}", "{\"timeout_ms\":\"10\"}", "{\"timeout_ms\":1.5}",
                "{} and more", "{\"stay\":\"yes\"}", "{\"stay\":1}", "{\"timeout\":60000}", "{\"stay\":true,\"Timeout_ms\":1}")) {
            assertThat(open.answer(ApiRequest.of("POST", "/drain").with(body)).status()).as(body).isEqualTo(400);
        }
    }

    @Test
    void shouldTakeABodyThatSaysLittleOrAll() {
        for (String body : List.of("", " ", "{}", "{\"stay\":true}", "{\"stay\":false,\"timeout_ms\":0}")) {
            assertThat(open.answer(ApiRequest.of("POST", "/drain").with(body)).status()).as(body).isEqualTo(409);
        }
    }

    @Test
    void shouldChangeNothingWithoutTheToken() {
        assertThat(guarded.answer(ApiRequest.of("POST", "/drain")).status()).isEqualTo(401);
        assertThat(guarded.answer(ApiRequest.of("DELETE", "/drain")).status()).isEqualTo(401);
        assertThat(guarded.answer(with("Bearer wrong")).status()).isEqualTo(401);
        assertThat(guarded.answer(with("Bearer secret")).status()).isEqualTo(409);
        assertThat(guarded.answer(ApiRequest.of("GET", "/drain")).status()).isEqualTo(200);
    }

    @Test
    void shouldTellTheLastRebalanceToWhoHasTheToken() {
        assertThat(guarded.answer(ApiRequest.of("GET", "/rebalance")).status()).isEqualTo(401);
        assertThat(guarded.answer(new ApiRequest(
                "GET", "/rebalance", Optional.of("Bearer secret"), Optional.empty(), "", "")).body())
                .contains("another instance led");
        assertThat(open.answer(new ApiRequest(
                "GET", "/rebalance", Optional.empty(), Optional.of("http://evil"), "", "")).status()).isEqualTo(403);
        assertThat(open.answer(ApiRequest.of("POST", "/rebalance")).status()).isEqualTo(405);
    }

    @Test
    void shouldRefuseAPageInABrowser() {
        ApiRequest request = new ApiRequest("POST", "/drain", Optional.empty(), Optional.of("http://evil"), "", "");
        assertThat(open.answer(request).status()).isEqualTo(403);
    }

    @Test
    void shouldRefuseAWishInTheQuery() {
        for (String method : List.of("POST", "DELETE", "GET")) {
            ApiAnswer answer = open.answer(ApiRequest.of(method, "/drain").asking("timeout_ms=600000"));
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).contains("takes no query");
        }
        assertThat(open.answer(ApiRequest.of("GET", "/ready").asking("probe=kubelet")).status()).isEqualTo(200);
    }

    @Test
    void shouldTellReadinessByTheStatus() {
        assertThat(open.answer(ApiRequest.of("GET", "/ready")).status()).isEqualTo(200);
        ready = false;
        assertThat(open.answer(ApiRequest.of("GET", "/ready")).status()).isEqualTo(503);
    }

    @Test
    void shouldRefuseOtherPathsAndMethods() {
        assertThat(open.answer(ApiRequest.of("GET", "/")).status()).isEqualTo(404);
        assertThat(open.answer(ApiRequest.of("POST", "/ready")).status()).isEqualTo(405);
        assertThat(open.answer(ApiRequest.of("PUT", "/drain")).status()).isEqualTo(405);
    }

    @Test
    void shouldServeOverHttpAndRefuseABodyThatIsTooLong() throws IOException, InterruptedException {
        try (ApiServer server = ApiServer.start("127.0.0.1", 0, open::answer)) {
            URI drain = URI.create("http://127.0.0.1:" + server.port() + "/drain");
            HttpClient client = HttpClient.newHttpClient();
            assertThat(client.send(HttpRequest.newBuilder(drain).build(), BodyHandlers.ofString()).body())
                    .contains("running");
            HttpRequest asking = HttpRequest.newBuilder(URI.create(drain + "?stay=true")).build();
            assertThat(client.send(asking, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
            HttpRequest large = HttpRequest.newBuilder(drain).POST(BodyPublishers.ofString("x".repeat(5000))).build();
            assertThat(client.send(large, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
        }
    }

    /** Four of these would hold every thread for ever. */
    @Test
    void shouldCutRequestsThatNeverEnd() throws IOException, InterruptedException {
        try (ApiServer server = ApiServer.start("127.0.0.1", 0, open::answer, Duration.ofMillis(300))) {
            List<Socket> slow = new ArrayList<>();
            try {
                for (int i = 0; i < 30; i++) {
                    Socket socket = new Socket("127.0.0.1", server.port());
                    slow.add(socket);
                    socket.getOutputStream().write(i % 2 == 0
                            ? "POST /dr".getBytes(StandardCharsets.US_ASCII)
                            : "POST /drain HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1".getBytes(
                                    StandardCharsets.US_ASCII));
                }
                for (Socket socket : slow) {
                    socket.setSoTimeout(300_000);
                    assertThat(ended(socket)).isTrue();
                }
                HttpRequest drain = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + "/drain")).build();
                HttpClient client = HttpClient.newHttpClient();
                // On a machine that stands still for as long as the limit it is cut as well, and has to be sent again.
                Awaitility.await("an answer").atMost(Duration.ofSeconds(120)).ignoreException(IOException.class)
                        .until(() -> client.send(drain, BodyHandlers.ofString()).statusCode() == 200);
            } finally {
                for (Socket socket : slow) {
                    socket.close();
                }
            }
        }
    }

    /** Blocks until the other end has closed; a reset is an end as well. */
    private static boolean ended(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException never) {
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void shouldTellTheAssignorInMetrics() {
        String text = MetricsText.of("orders", "orders-1", instance, List.of(), 0);

        assertThat(text).contains(
                "segue_assignor_info{application_id=\"orders\",client_id=\"orders-1\",assignor=\"learner\","
                        + "configured=\"learner\",refused=\"\"} 1\n",
                "segue_leader{application_id=\"orders\",client_id=\"orders-1\"} 0\n");
        assertThat(text).doesNotContain("segue_led");
    }

    @Test
    void shouldEscapeNamesInMetrics() {
        String text = MetricsText.of("a\"b", "c\\d", instance, List.of(), 0);

        assertThat(text).contains("segue_leaving{application_id=\"a\\\"b\",client_id=\"c\\\\d\"} 0\n");
        assertThat(text.lines().filter(line -> !line.startsWith("#")))
                .allMatch(line -> line.matches("segue_[a-z_]+\\{.*\\} -?\\d+"));
    }

    private static ApiRequest with(String authorization) {
        return new ApiRequest("POST", "/drain", Optional.of(authorization), Optional.empty(), "", "");
    }

    private DrainApi api(Optional<String> token) {
        return new DrainApi(instance, () -> ready, () -> "", token);
    }
}
