// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.List;
import java.util.Optional;

import io.segue.Metrics;

/** The figures of one instance in Prometheus' text format. */
final class MetricsText {
    private final StringBuilder text = new StringBuilder();
    private final String labels;

    private MetricsText(String application, String clientId) {
        labels = "{application_id=\"" + escaped(application) + "\",client_id=\"" + escaped(clientId) + "\"";
    }

    static String of(
            String application, String clientId, SegueInstance instance, List<Copy> copies, long recoveryLag) {
        MetricsText metrics = new MetricsText(application, clientId);
        metrics.drain(instance.drainState());
        metrics.copies(copies, recoveryLag);
        metrics.assignor(instance.choice(), instance.led());
        metrics.counter("segue_kept_assignments_total", "Rebalances in this process for which there was no plan.",
                SegueTaskAssignor.keptAssignments());
        metrics.plans(SharedSegue.metrics());
        return metrics.text.toString();
    }

    private void plans(Metrics plans) {
        counter("segue_plans_total", "Plans that assignors in this process were asked for.", plans.plans());
        head("segue_fallbacks_total", "Of them, those that the safe plan answered, by reason.", "counter");
        fallbacks("error", plans.errors());
        fallbacks("refused", plans.refused());
        fallbacks("late", plans.late());
        fallbacks("died", plans.died());
        fallbacks("unstarted", plans.unstarted());
        fallbacks("aside", plans.passedOver());
        gauge("segue_assignors_aside", "Assignors in this process that are put aside.", plans.aside());
        gauge("segue_plugin_processes", "Processes of isolated plugins.", plans.processes());
        gauge("segue_plugin_threads_given_up", "Threads that a plugin has not given back.", plans.threads());
    }

    private void fallbacks(String reason, long value) {
        row("segue_fallbacks_total", labels + ",reason=\"" + reason + '"', value);
    }

    private void drain(DrainState state) {
        boolean marked = state.since().isPresent();
        gauge("segue_leaving", "Whether the instance is marked as leaving.", marked ? 1 : 0);
        gauge("segue_leaving_tasks_left", "Tasks that a leaving instance still owns.",
                marked ? state.tasksLeft() : 0);
        state.since().ifPresent(at -> gauge(
                "segue_leaving_since_timestamp_seconds", "When it was marked.", at.getEpochSecond()));
        state.deadline().ifPresent(at -> gauge(
                "segue_leaving_deadline_timestamp_seconds", "When its tasks are forced away.", at.getEpochSecond()));
        gauge("segue_ready_to_stop", "Whether it can be ended without anybody's waiting for its tasks.",
                state.readyToStop() ? 1 : 0);
    }

    private void copies(List<Copy> copies, long recoveryLag) {
        gauge("segue_copies", "Standbys and learners beside owners elsewhere.", copies.size());
        gauge("segue_copies_ready", "How many of them are caught up.",
                copies.stream().filter(copy -> copy.caughtUp(recoveryLag)).count());
        gauge("segue_copies_lag_records", "Records that those with a known lag have to replay.",
                copies.stream().mapToLong(Copy::lag).filter(lag -> lag != Changelog.UNKNOWN).sum());
    }

    private void assignor(Choice choice, Optional<Led> led) {
        info("segue_assignor_info", "The assignor that it would ask if it led now, and what is configured.",
                "assignor", choice.assignor(), "configured", choice.configured(), "refused",
                choice.refused().orElse(""));
        gauge("segue_leader", "Whether it led the last rebalance in which it took part.", led.isPresent() ? 1 : 0);
        led.ifPresent(this::led);
    }

    private void led(Led led) {
        info("segue_led_info", "What computed the rebalance that it led.", "assignor", led.assignor(), "plugin",
                led.plugin(), "plugin_version", led.pluginVersion());
        gauge("segue_led_timestamp_seconds", "When it led.", led.at().getEpochSecond());
        gauge("segue_led_fallback", "Whether the safe plan had to answer.", led.fault().isPresent() ? 1 : 0);
        led.followupAt().ifPresent(at -> gauge(
                "segue_led_followup_timestamp_seconds", "When another rebalance is due.", at.getEpochSecond()));
    }

    /** @param more names and values of labels, in turns */
    private void info(String name, String help, String... more) {
        StringBuilder all = new StringBuilder(labels);
        for (int i = 0; i < more.length; i += 2) {
            all.append(',').append(more[i]).append("=\"").append(escaped(more[i + 1])).append('"');
        }
        line(name, help, "gauge", all.toString(), 1);
    }

    private void gauge(String name, String help, long value) {
        line(name, help, "gauge", labels, value);
    }

    private void counter(String name, String help, long value) {
        line(name, help, "counter", labels, value);
    }

    private void line(String name, String help, String type, String with, long value) {
        head(name, help, type);
        row(name, with, value);
    }

    private void head(String name, String help, String type) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n')
                .append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private void row(String name, String with, long value) {
        text.append(name).append(with).append("} ").append(value).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
