// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

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
 * @param assignor the strategy's name
 * @param leavingKnown whether that strategy heeds marks
 * @param startedMs when it started
 */
record Presence(
        String instance,
        String clientId,
        String host,
        long pid,
        Optional<String> applicationServer,
        String assignor,
        boolean leavingKnown,
        long startedMs) {

    /**
     * What does change.
     *
     * @param phase what it is at
     * @param active tasks that it owns
     * @param copies standbys and learners
     * @param ready how many of them are caught up
     * @param lag records that they are behind in all, -1 where that is not known yet
     * @param mark the mark it heeds
     */
    record Now(DrainState.Phase phase, int active, int copies, int ready, long lag, Optional<Mark> mark) {}

    String json(Now now, long atMs) {
        ObjectNode document = Documents.start("presence", instance)
                .put("client_id", clientId)
                .put("host", host)
                .put("pid", pid);
        applicationServer.ifPresent(address -> document.put("application_server", address));
        document.put("assignor", assignor)
                .put("leaving_known", leavingKnown)
                .put("started_ms", startedMs)
                .put("at_ms", atMs)
                .put("state", now.phase().word())
                .put("active", now.active())
                .put("copies", now.copies())
                .put("copies_ready", now.ready())
                .put("copies_lag", now.lag());
        now.mark().ifPresent(mark -> document.set("drain", drain(mark, now.active())));
        return Documents.text(document, "application_server", "client_id", "host");
    }

    private static ObjectNode drain(Mark mark, int tasksLeft) {
        ObjectNode drain = Documents.object().put("since_ms", mark.sinceMs());
        mark.deadlineMs().ifPresent(at -> drain.put("deadline_ms", at));
        return drain.put("tasks_left", tasksLeft).put("stay", mark.stay());
    }
}
