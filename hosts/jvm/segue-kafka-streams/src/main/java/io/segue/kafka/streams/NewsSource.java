// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.segue.Leaving;

/** Where the leader finds its news. Blocks for {@code segue.marks.timeout.ms} at the most, and never throws. */
@FunctionalInterface
interface NewsSource {
    /** Where there are no brokers to ask. */
    NewsSource NONE = processes -> News.NONE;

    News of(Collection<ProcessId> processes);

    static NewsSource of(Map<String, ?> config, Settings settings) {
        return config.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG) == null
                ? NONE
                : processes -> read(processes, config, settings);
    }

    private static News read(Collection<ProcessId> processes, Map<String, ?> config, Settings settings) {
        try {
            Map<String, ProcessId> ids = new HashMap<>();
            processes.forEach(process -> ids.put(process.id().toString(), process));
            Bulletin.Posted posted = Channel.forLeader(config)
                    .bulletin()
                    .read(ids.keySet(), Duration.ofMillis(settings.marksTimeoutMs()));
            Map<ProcessId, Leaving> leaving = new HashMap<>();
            posted.marks().forEach((id, mark) ->
                    leaving.put(ids.get(id), mark.within(settings.scaleDownTimeoutMs()).leaving()));
            return new News(leaving, posted.swap());
        } catch (RuntimeException fault) {
            Logger log = LoggerFactory.getLogger(NewsSource.class);
            log.warn("Cannot read who is leaving and which assignor is wished for ({}): nobody, and the configured one",
                    fault.toString());
            return News.NONE;
        }
    }
}
