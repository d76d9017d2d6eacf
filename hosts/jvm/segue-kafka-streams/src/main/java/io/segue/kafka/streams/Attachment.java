// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.StreamsConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What goes along with one Kafka Streams instance: its attendant, its bean, and HTTP. Safe from any thread. */
final class Attachment {
    private static final Logger LOG = LoggerFactory.getLogger(Attachment.class);

    private final KafkaStreams streams;
    private final SegueClients clients;
    private final Map<String, Object> config;
    private final String clientId;
    private final Optional<AssignorSettings> assignor;
    private final Settings settings;
    private final SegueInstance instance;
    private volatile Optional<Attendant> attendant = Optional.empty();
    private volatile Optional<ApiServer> server = Optional.empty();

    /** @param assignor empty where the application has another assignor than segue's */
    Attachment(
            KafkaStreams streams, SegueClients clients, Map<String, Object> config, String clientId,
            Optional<AssignorSettings> assignor) {
        this.streams = streams;
        this.clients = clients;
        this.config = config;
        this.clientId = clientId;
        this.assignor = assignor;
        settings = Settings.of(config);
        instance = new SegueInstance(assignor.map(AssignorSettings::assignor).orElse(""));
    }

    SegueInstance instance() {
        return instance;
    }

    /** What is wrong here costs drains and swaps, never the application. */
    void start() {
        serve();
        Optional<String> id = StreamsInstance.processId(streams, config);
        if (assignor.isEmpty()) {
            instance.cannot("task.assignor.class is not segue's");
        } else if (id.isEmpty()) {
            instance.cannot("the process id is unknown: before Kafka Streams 4.0 that takes a persistent store");
        } else if (clients.member().isEmpty()) {
            instance.cannot("it has no stream threads with segue's clients");
        } else {
            attend(id.get(), clients.member().get(), assignor.get());
        }
    }

    private void attend(String id, Member member, AssignorSettings own) {
        try {
            Channel channel = Channel.open(
                    application(), config.get(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG),
                    () -> clients.getAdmin(new StreamsConfig(config).getAdminConfigs(clientId + "-segue")));
            Runnable noBean = JmxBean.register(instance, application(), id);
            Attendant started = new Attendant(
                    new StreamsInstance(streams, member.owned()), who(id, own), own, channel, member, settings,
                    () -> {
                        noBean.run();
                        server.ifPresent(ApiServer::close);
                    });
            attendant = Optional.of(started);
            instance.started(started);
            started.start();
        } catch (RuntimeException fault) {
            instance.cannot("no client for its marks could be made: " + fault.getMessage());
            LOG.warn("This instance can be neither drained nor swapped", fault);
        }
    }

    private Presence who(String id, AssignorSettings own) {
        return new Presence(
                id, clientId, host(), ProcessHandle.current().pid(),
                Optional.ofNullable(config.get(StreamsConfig.APPLICATION_SERVER_CONFIG))
                        .map(Object::toString)
                        .filter(address -> !address.isEmpty()),
                server.map(running -> address(settings.httpHost(), running.port())),
                own.offer().names(), System.currentTimeMillis());
    }

    /** One that listens everywhere is found under the name of its machine. */
    private static String address(String bound, int port) {
        boolean anywhere = bound.equals("0.0.0.0") || bound.equals("::");
        String at = anywhere ? host() : bound;
        return "http://" + (at.contains(":") ? "[" + at + "]" : at) + ":" + port;
    }

    private void serve() {
        settings.httpPort().ifPresent(port -> {
            try {
                DrainApi api = new DrainApi(instance, () -> streams.state().isRunningOrRebalancing(),
                        this::metricsText, settings.httpToken());
                server = Optional.of(ApiServer.start(settings.httpHost(), port, api::answer));
                instance.serves(server);
                LOG.info("Serving /drain, /ready, /rebalance and /metrics at {}:{}", settings.httpHost(), server.get().port());
            } catch (IOException fault) {
                LOG.error("Cannot serve HTTP at {}:{} ({} and {}): {}", settings.httpHost(), port, Settings.HTTP_HOST,
                        Settings.HTTP_PORT, fault.getMessage());
            }
        });
    }

    private String metricsText() {
        return MetricsText.of(application(), clientId, instance, clients.book().copies(),
                clients.member().map(member -> member.config().recoveryLag()).orElse(0L));
    }

    private String application() {
        return String.valueOf(config.get(StreamsConfig.APPLICATION_ID_CONFIG));
    }

    private static String host() {
        String pod = System.getenv("HOSTNAME");
        if (pod != null && !pod.isBlank()) {
            return pod;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException fault) {
            return "unknown";
        }
    }

    /** Called by Kafka Streams between its states; the process may end as soon as the last one is reached. */
    void changed(State now) {
        if (now == State.PENDING_SHUTDOWN || now == State.PENDING_ERROR) {
            attendant.ifPresent(Attendant::wake);
        } else if (now == State.NOT_RUNNING || now == State.ERROR) {
            ended();
        }
    }

    /** The instance is closed; waits a moment for what is to be cleaned up. */
    void ended() {
        attendant.ifPresentOrElse(
                running -> running.awaitEnd(Attendant.LONGEST_END), () -> server.ifPresent(ApiServer::close));
    }
}
