// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.segue.Leaving;

/** Where the leader finds who is leaving. Blocks for {@code segue.marks.timeout.ms} at the most, and never throws. */
@FunctionalInterface
interface MarkSource {
    /** For assignors that heed no marks: nothing is asked. */
    MarkSource NONE = processes -> Map.of();

    Map<ProcessId, Leaving> leaving(Collection<ProcessId> processes);

    static MarkSource of(String assignor, Map<String, ?> config, Settings settings) {
        return Settings.heedsMarks(assignor) ? processes -> read(processes, config, settings) : NONE;
    }

    private static Map<ProcessId, Leaving> read(
            Collection<ProcessId> processes, Map<String, ?> config, Settings settings) {
        try {
            Map<String, ProcessId> ids = new HashMap<>();
            processes.forEach(process -> ids.put(process.id().toString(), process));
            Map<ProcessId, Leaving> leaving = new HashMap<>();
            Channel.forLeader(config)
                    .marks()
                    .of(ids.keySet(), Duration.ofMillis(settings.marksTimeoutMs()))
                    .forEach((id, mark) ->
                            leaving.put(ids.get(id), mark.within(settings.scaleDownTimeoutMs()).leaving()));
            if (!leaving.isEmpty() && leaving.size() == processes.size()) {
                LoggerFactory.getLogger(MarkSource.class).warn(
                        "All {} instances are marked as leaving: nobody is there to take over, so the tasks stay",
                        leaving.size());
            }
            return leaving;
        } catch (RuntimeException fault) {
            Logger log = LoggerFactory.getLogger(MarkSource.class);
            log.warn("Cannot read who is leaving ({}); nobody is taken for it", fault.toString());
            return Map.of();
        }
    }
}
