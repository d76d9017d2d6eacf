// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Kafka Streams instance that can be drained, and whose listeners can be set without unseating segue's. */
final class SegueStreams extends KafkaStreams {
    private static final Logger LOG = LoggerFactory.getLogger(SegueStreams.class);

    private final SegueClients clients;
    private final Map<String, Object> config = new HashMap<>();
    private final AssignorSettings assignor;
    private final Settings settings;
    private final SegueInstance instance = new SegueInstance();
    private volatile Optional<Drainer> drainer = Optional.empty();
    private volatile Optional<ApiServer> server = Optional.empty();

    SegueStreams(Topology topology, Properties given, SegueClients clients, Optional<AssignorSettings> ours) {
        super(topology, given, clients);
        this.clients = clients;
        given.forEach((key, value) -> config.put(String.valueOf(key), value));
        assignor = ours.orElse(AssignorSettings.DEFAULTS);
        settings = Settings.of(config);
        super.setStandbyUpdateListener(clients);
        super.setStateListener(this::changed);
    }

    SegueInstance instance() {
        return instance;
    }

    @Override
    public synchronized void start() {
        super.start();
        serve();
        begin();
    }

    /** What is wrong here costs the drain, never the application. */
    private void begin() {
        Optional<String> id = StreamsInstance.processId(this, config);
        if (!Settings.heedsMarks(assignor.assignor())) {
            instance.cannot("segue.assignor=" + assignor.assignor() + " heeds no marks; scale-down and balanced do");
        } else if (id.isEmpty()) {
            instance.cannot("the process id is unknown: before Kafka Streams 4.0 that takes a persistent store");
        } else if (clients.member().isEmpty()) {
            instance.cannot("it has no stream threads");
        } else {
            begin(id.get(), clients.member().get());
        }
    }

    private void begin(String id, Member member) {
        try {
            Channel channel = Channel.open(
                    application(), config.get(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG),
                    () -> clients.getAdmin(new StreamsConfig(config).getAdminConfigs(clientId + "-segue")));
            Runnable noBean = JmxBean.register(instance, application(), id);
            LocalInstance local = new StreamsInstance(this, member.owned());
            Drainer started = new Drainer(local, who(id), channel, member, settings, () -> {
                noBean.run();
                server.ifPresent(ApiServer::close);
            });
            drainer = Optional.of(started);
            instance.started(started);
            started.start();
        } catch (RuntimeException fault) {
            instance.cannot("no client for its marks could be made: " + fault.getMessage());
            LOG.warn("This instance cannot be drained", fault);
        }
    }

    private Presence who(String id) {
        return new Presence(
                id, clientId, host(), ProcessHandle.current().pid(),
                Optional.ofNullable(config.get(StreamsConfig.APPLICATION_SERVER_CONFIG))
                        .map(Object::toString)
                        .filter(address -> !address.isEmpty()),
                assignor.assignor(), true, System.currentTimeMillis());
    }

    private void serve() {
        settings.httpPort().ifPresent(port -> {
            try {
                DrainApi api = new DrainApi(instance, () -> state().isRunningOrRebalancing(), this::metricsText,
                        settings.httpToken());
                server = Optional.of(ApiServer.start(settings.httpHost(), port, api::answer));
                instance.serves(server);
                LOG.info("Serving /drain, /ready and /metrics at {}:{}", settings.httpHost(), server.get().port());
            } catch (IOException fault) {
                LOG.error("Cannot serve HTTP at {}:{} ({} and {}): {}", settings.httpHost(), port, Settings.HTTP_HOST,
                        Settings.HTTP_PORT, fault.getMessage());
            }
        });
    }

    private String metricsText() {
        return MetricsText.of(application(), clientId, instance.drainState(), clients.book().copies(),
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
    private void changed(State now, State before) {
        if (now == State.PENDING_SHUTDOWN || now == State.PENDING_ERROR) {
            drainer.ifPresent(Drainer::wake);
        } else if (now == State.NOT_RUNNING || now == State.ERROR) {
            drainer.ifPresentOrElse(Drainer::close, () -> server.ifPresent(ApiServer::close));
        }
    }

    /** An empty instance that stayed leaves the group when it is closed: nobody shall wait for its session. */
    @Override
    public void close() {
        if (emptied()) {
            new StreamsInstance(this, new Owned()).leave(Duration.ofMillis(Long.MAX_VALUE));
        } else {
            super.close();
        }
    }

    @Override
    public boolean close(Duration timeout) {
        return emptied() ? new StreamsInstance(this, new Owned()).leave(timeout) : super.close(timeout);
    }

    private boolean emptied() {
        return instance.drainState().phase() == DrainState.Phase.EMPTY;
    }

    @Override
    public void setStandbyUpdateListener(StandbyUpdateListener listener) {
        super.setStandbyUpdateListener(listener == null ? clients : new BothListeners(clients, listener));
    }

    @Override
    public void setStateListener(StateListener listener) {
        super.setStateListener(listener == null ? this::changed : (now, before) -> {
            changed(now, before);
            listener.onChange(now, before);
        });
    }
}
