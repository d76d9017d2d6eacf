// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Who an instance is, as it publishes it, and what does not change while it lives.
 *
 * @param instance its process id
 * @param clientId as configured, or as Kafka Streams made it up
 * @param host the machine's or the pod's name
 * @param pid the operating system's number
 * @param applicationServer as configured
 * @param http where it serves HTTP, such as {@code http://10.0.0.7:8088}
 * @param assignors the strategies that it can ask
 * @param startedMs when it started
 */
record Presence(
        String instance,
        String clientId,
        String host,
        long pid,
        Optional<String> applicationServer,
        Optional<String> http,
        List<String> assignors,
        long startedMs) {
    static final String KIND = "presence";

    /**
     * What does change.
     *
     * @param phase what it is at
     * @param active tasks that it owns
     * @param copies standbys and learners
     * @param ready how many of them are caught up
     * @param lag records that they are behind in all, -1 where that is not known yet
     * @param mark the mark it heeds
     * @param choice the strategy that counts
     * @param led the last rebalance, where it led that
     */
    record Now(
            DrainState.Phase phase,
            int active,
            int copies,
            int ready,
            long lag,
            Optional<Mark> mark,
            Choice choice,
            Optional<Led> led) {}

    String json(Now now, long atMs) {
        ObjectNode document = Documents.start(KIND, instance)
                .put("client_id", clientId)
                .put("host", host)
                .put("pid", pid);
        applicationServer.ifPresent(address -> document.put("application_server", address));
        http.ifPresent(address -> document.put("http", address));
        document.put("assignor", now.choice().assignor()).put("leaving_known", now.choice().heedsMarks());
        if (now.choice().swapped()) {
            document.put("configured", now.choice().configured());
        }
        now.choice().refused().ifPresent(name -> document.put("swap_refused", name));
        document.set("assignors", Documents.tree(assignors));
        document.put("started_ms", startedMs)
                .put("at_ms", atMs)
                .put("state", now.phase().word())
                .put("active", now.active())
                .put("copies", now.copies())
                .put("copies_ready", now.ready())
                .put("copies_lag", now.lag());
        now.mark().ifPresent(mark -> document.set("drain", drain(mark, now.active())));
        now.led().ifPresent(led -> document.set("led", Documents.tree(led.fields())));
        return Documents.text(document, "application_server", "http", "client_id", "host", "led", "assignors");
    }

    private static ObjectNode drain(Mark mark, int tasksLeft) {
        ObjectNode drain = Documents.object().put("since_ms", mark.sinceMs());
        mark.deadlineMs().ifPresent(at -> drain.put("deadline_ms", at));
        return drain.put("tasks_left", tasksLeft).put("stay", mark.stay());
    }
}
