// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StandbyUpdateListener;

/** A Kafka Streams instance that can be drained, and whose listeners can be set without unseating segue's. */
final class SegueStreams extends KafkaStreams {
    private final SegueClients clients;
    private final Attachment attachment;

    SegueStreams(Topology topology, Properties given, SegueClients clients, Optional<AssignorSettings> assignor) {
        super(topology, given, clients);
        this.clients = clients;
        Map<String, Object> config = new HashMap<>();
        given.forEach((key, value) -> config.put(String.valueOf(key), value));
        attachment = new Attachment(this, clients, config, clientId, assignor);
        super.setStandbyUpdateListener(clients);
        super.setStateListener(this::changed);
    }

    SegueInstance instance() {
        return attachment.instance();
    }

    @Override
    public synchronized void start() {
        super.start();
        attachment.start();
    }

    private void changed(State now, State before) {
        attachment.changed(now);
    }

    /** An empty instance that stayed leaves the group when it is closed: nobody shall wait for its session. */
    @Override
    public void close() {
        if (emptied()) {
            leave(Duration.ofMillis(Long.MAX_VALUE));
        } else {
            super.close();
        }
        attachment.ended();
    }

    @Override
    public boolean close(Duration timeout) {
        return cleaned(emptied() ? leave(timeout) : super.close(timeout));
    }

    @Override
    @SuppressWarnings("deprecation")
    public boolean close(CloseOptions options) {
        return cleaned(super.close(options));
    }

    private boolean leave(Duration timeout) {
        return new StreamsInstance(this, new Owned()).leave(timeout);
    }

    /** Kafka Streams says that it is closed before its listeners have heard of it. */
    private boolean cleaned(boolean closed) {
        if (closed) {
            attachment.ended();
        }
        return closed;
    }

    private boolean emptied() {
        return instance().drainState().phase() == DrainState.Phase.EMPTY;
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
