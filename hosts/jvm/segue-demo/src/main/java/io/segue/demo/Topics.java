// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;

/** The two topics of one run; each run has its own. */
record Topics(String input, String output) {
    static Topics of(String run) {
        return new Topics("orders-" + run, "counts-" + run);
    }

    /** Returns once the broker answers for both: an idempotent producer that starts earlier never recovers. */
    void create(Admin admin, int partitions, Await await) {
        try {
            admin.createTopics(names().stream().map(name -> new NewTopic(name, partitions, (short) 1)).toList())
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            // Of a request that was answered late, and so sent again, the first one has made them.
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new DemoException("cannot create the topics " + names() + ": " + e.getMessage(), e);
            }
        }
        await.until("the topics " + names(), Duration.ofSeconds(300), () -> "their leaders do not answer", () -> ready(admin, partitions));
    }

    /** Metadata names a leader before that leader answers; only its own answer counts. */
    private boolean ready(Admin admin, int partitions) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        names().forEach(name -> IntStream.range(0, partitions)
                .forEach(partition -> latest.put(new TopicPartition(name, partition), OffsetSpec.latest())));
        try {
            return admin.listOffsets(latest).all().get().size() == latest.size();
        } catch (InterruptedException | ExecutionException e) {
            return false;
        }
    }

    /** Frees the disk of a finished run, its internal topics included. */
    static void deleteAll(Admin admin) {
        try {
            admin.deleteTopics(admin.listTopics().names().get()).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new DemoException("cannot delete the topics of a finished run: " + e.getMessage(), e);
        }
    }

    private List<String> names() {
        return List.of(input, output);
    }
}
