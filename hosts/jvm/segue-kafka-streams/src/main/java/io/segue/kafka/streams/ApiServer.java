// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's own HTTP server in front of {@link DrainApi}. A request that takes too long is cut, and what is more than can
 * wait is turned away, so that slow clients keep nobody out for longer than the limit. A connection on which nothing was
 * asked yet costs no thread; the JVM's {@code jdk.httpserver.maxConnections} bounds their number where that matters.
 */
final class ApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final int MOST_BODY_BYTES = 4_096;
    private static final int MOST_WAITING = 16;
    private static final int THREADS = 4;
    /** Longer than {@link DrainApi} waits for Kafka. */
    private static final Duration LONGEST_REQUEST = Duration.ofSeconds(12);
    private static final int LONGEST_CLOSE_S = 1;

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Patience patience;
    private final Function<ApiRequest, ApiAnswer> api;

    private ApiServer(HttpServer server, Function<ApiRequest, ApiAnswer> api, Duration longestRequest) {
        this.server = server;
        this.api = api;
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), work -> {
                    Thread made = new Thread(work, "segue-http");
                    made.setDaemon(true);
                    return made;
                });
        this.patience = new Patience(threads, longestRequest);
    }

    /** @throws IOException if the address cannot be had */
    static ApiServer start(String host, int port, Function<ApiRequest, ApiAnswer> api) throws IOException {
        return start(host, port, api, LONGEST_REQUEST);
    }

    static ApiServer start(String host, int port, Function<ApiRequest, ApiAnswer> api, Duration longestRequest)
            throws IOException {
        ApiServer started = new ApiServer(
                HttpServer.create(new InetSocketAddress(host, port), MOST_WAITING), api, longestRequest);
        started.server.setExecutor(started.patience);
        started.server.createContext("/", started::serve);
        started.startOnDaemon();
        return started;
    }

    /** The server's own thread takes after the one that starts it, and must not keep the process alive. */
    private void startOnDaemon() {
        Thread starter = new Thread(server::start, "segue-http-start");
        starter.setDaemon(true);
        starter.start();
        try {
            starter.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            ApiAnswer answer = answer(exchange);
            byte[] body = answer.content();
            exchange.getResponseHeaders().set("Content-Type", answer.type());
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private ApiAnswer answer(HttpExchange exchange) throws IOException {
        byte[] body;
        try (InputStream sent = exchange.getRequestBody()) {
            body = sent.readNBytes(MOST_BODY_BYTES + 1);
        }
        if (body.length > MOST_BODY_BYTES) {
            return ApiAnswer.fault(413, "the body may have " + MOST_BODY_BYTES + " bytes at the most");
        }
        try {
            return api.apply(new ApiRequest(
                    exchange.getRequestMethod(), exchange.getRequestURI().getPath(),
                    header(exchange, "Authorization"), header(exchange, "Origin"),
                    new String(body, StandardCharsets.UTF_8),
                    Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("")));
        } catch (RuntimeException fault) {
            LOG.warn("Answering {} {} failed", exchange.getRequestMethod(), exchange.getRequestURI().getPath(), fault);
            return ApiAnswer.fault(500, "that failed; the application's log says why");
        }
    }

    private static Optional<String> header(HttpExchange exchange, String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
    }

    /** Lets running answers end first. */
    @Override
    public void close() {
        server.stop(LONGEST_CLOSE_S);
        threads.shutdown();
        patience.close();
    }
}
