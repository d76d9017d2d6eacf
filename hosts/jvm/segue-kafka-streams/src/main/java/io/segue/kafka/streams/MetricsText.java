// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.List;

/** The figures of one instance in Prometheus' text format. */
final class MetricsText {
    private final StringBuilder text = new StringBuilder();
    private final String labels;

    private MetricsText(String application, String clientId) {
        labels = "{application_id=\"" + escaped(application) + "\",client_id=\"" + escaped(clientId) + "\"} ";
    }

    static String of(String application, String clientId, DrainState state, List<Copy> copies, long recoveryLag) {
        MetricsText metrics = new MetricsText(application, clientId);
        boolean marked = state.since().isPresent();
        metrics.gauge("segue_leaving", "Whether the instance is marked as leaving.", marked ? 1 : 0);
        metrics.gauge("segue_leaving_tasks_left", "Tasks that a leaving instance still owns.",
                marked ? state.tasksLeft() : 0);
        state.since().ifPresent(at -> metrics.gauge(
                "segue_leaving_since_timestamp_seconds", "When it was marked.", at.getEpochSecond()));
        state.deadline().ifPresent(at -> metrics.gauge(
                "segue_leaving_deadline_timestamp_seconds", "When its tasks are forced away.", at.getEpochSecond()));
        metrics.gauge("segue_ready_to_stop", "Whether it can be ended without anybody's waiting for its tasks.",
                state.readyToStop() ? 1 : 0);
        metrics.gauge("segue_copies", "Standbys and learners beside owners elsewhere.", copies.size());
        metrics.gauge("segue_copies_ready", "How many of them are caught up.",
                copies.stream().filter(copy -> copy.caughtUp(recoveryLag)).count());
        metrics.gauge("segue_copies_lag_records", "Records that those with a known lag have to replay.",
                copies.stream().mapToLong(Copy::lag).filter(lag -> lag != Changelog.UNKNOWN).sum());
        metrics.counter("segue_kept_assignments_total", "Rebalances in this process for which there was no plan.",
                SegueTaskAssignor.keptAssignments());
        return metrics.text.toString();
    }

    private void gauge(String name, String help, long value) {
        line(name, help, "gauge", value);
    }

    private void counter(String name, String help, long value) {
        line(name, help, "counter", value);
    }

    private void line(String name, String help, String type, long value) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n')
                .append("# TYPE ").append(name).append(' ').append(type).append('\n')
                .append(name).append(labels).append(value).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
