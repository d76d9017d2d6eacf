// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.segue.AssignorInfo;

/**
 * Lets segue assign the tasks of a Kafka Streams application: {@code task.assignor.class} names this class,
 * {@code segue.assignor} the strategy ({@code learner} when not set). {@link Segue#streams} sets it for you.
 *
 * <p>A new process learns its share of the stateful tasks as standbys while their owners go on serving, and owns each
 * one when it has caught up. {@code segue.max.learners} caps the learners in flight (default: no cap);
 * {@code max.warmup.replicas} is not read, because its default of 2 cannot be told from a wish. Standbys, acceptable
 * lag, probing interval, racks and tags are those of Kafka's own keys.
 *
 * <p>{@code high-availability} is the baseline: it decides as Kafka Streams' default assignor does, two warm-ups at a time
 * where {@code segue.max.learners} says nothing. Warm-ups are looked at every {@code probing.rebalance.interval.ms}, as
 * in Kafka; an instance that {@link Segue#streams} made asks as soon as one is ready.
 *
 * <p>{@code scale-down} and {@code balanced} heed marks: a process that is marked as leaving (see
 * {@link SegueInstance}) gets nothing new and is emptied by learners elsewhere, by force at its deadline
 * ({@code scale.down.timeout.ms} where the mark names none). Another strategy can be wished for while the application
 * runs ({@link SegueInstance#swap}): it is asked where it is offered here.
 *
 * <p>Thread: Kafka Streams makes one object for each rebalance and calls it on the leader's stream thread. Blocking:
 * the native library is loaded at the first call in a JVM; a plan takes microseconds to milliseconds; marks and the
 * wish for an assignor are read from Kafka, for {@code segue.marks.timeout.ms} at the most.
 *
 * <p>Failure: {@link #configure} refuses what is misconfigured. {@link #assign} does not fail: whatever goes wrong, the
 * owners keep their tasks, one line is logged, and {@link #keptAssignments()} counts it.
 *
 * @since 1.0
 */
public final class SegueTaskAssignor implements TaskAssignor {
    private static final Logger LOG = LoggerFactory.getLogger(SegueTaskAssignor.class);
    private static final List<AssignmentListener> LISTENERS = new CopyOnWriteArrayList<>();
    private static final AtomicLong KEPT = new AtomicLong();

    private AssignorSettings settings = AssignorSettings.DEFAULTS;
    private Optional<Draft> draft = Optional.empty();

    /** Made by Kafka Streams, once for each rebalance. */
    public SegueTaskAssignor() {}

    SegueTaskAssignor(AssignorSettings settings) {
        this.settings = settings;
    }

    /**
     * Takes over the application's configuration.
     *
     * @throws org.apache.kafka.common.config.ConfigException naming the key and what would be right, for an unknown
     *     assignor, an unknown key under {@code segue.}, a value out of range, or when the native library cannot be
     *     loaded
     */
    @Override
    public void configure(Map<String, ?> config) {
        settings = AssignorSettings.of(config);
        draft = Draft.in(config);
    }

    /** The next assignment. Never throws where the current assignment can be kept instead. */
    @Override
    public TaskAssignment assign(ApplicationState application) {
        long start = System.nanoTime();
        Outcome outcome = decide(application);
        AssignmentEvent event = outcome.event(settings, Duration.ofNanos(System.nanoTime() - start));
        LOG.info("{}", event);
        draft.ifPresent(report -> report.put(outcome.round(Instant.now(), info(outcome.assignor()))));
        LISTENERS.forEach(listener -> tell(listener, event));
        return outcome.assignment();
    }

    private Outcome decide(ApplicationState application) {
        AssignorSettings heeding = settings;
        try {
            News news = settings.news().of(application.kafkaStreamsStates(false).keySet());
            heeding = settings.with(choice(news));
            return Outcome.planned(application, heeding, news);
        } catch (Throwable fault) { // an Error here would stop every partition of the application as well
            KEPT.incrementAndGet();
            LOG.error("No plan ({}): the owners keep their tasks, and tasks without one go to their nearest copy",
                    fault.toString(), fault);
            return Outcome.kept(application, heeding.assignor(), fault);
        }
    }

    /** Whoever has a draft says by itself, once, that it cannot heed the wish. */
    private Choice choice(News news) {
        Choice choice = Choice.of(settings.assignor(), news.swap().isPresent() ? settings.offer().names() : List.of(),
                news.swap());
        if (draft.isEmpty()) {
            choice.refused().ifPresent(name -> LOG.warn(
                    "There is no assignor {} here, which is wished for: {} is asked", name, choice.assignor()));
        }
        return choice;
    }

    private Optional<AssignorInfo> info(String assignor) {
        try {
            return settings.offer().info(assignor);
        } catch (Throwable fault) { // as above
            return Optional.empty();
        }
    }

    @Override
    public void onAssignmentComputed(GroupAssignment assignment, GroupSubscription subscription, AssignmentError error) {
        if (error != AssignmentError.NONE) {
            LOG.error("Kafka Streams refused the assignment of {}: {}", settings.assignor(), error);
        }
    }

    /** How often in this JVM the owners kept their tasks because there was no plan. */
    public static long keptAssignments() {
        return KEPT.get();
    }

    /**
     * Tells a listener of every assignment that this JVM decides as the leader of a group, from now on. It is called
     * on the stream thread, so it must not block; what it throws is logged.
     *
     * @return closing it ends that
     */
    public static AssignmentListener.Registration listen(AssignmentListener listener) {
        LISTENERS.add(listener);
        return () -> LISTENERS.remove(listener);
    }

    private static void tell(AssignmentListener listener, AssignmentEvent event) {
        try {
            listener.onAssignment(event);
        } catch (RuntimeException fault) {
            LOG.warn("The assignment listener {} failed", listener, fault);
        }
    }
}
