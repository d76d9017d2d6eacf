// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Optional;

/** Who works on one partition, and since when it was silent or without an owner. Safe from any thread. */
final class Tenure {
    private final int partition;
    private final Silence silence = new Silence();
    private String worker = "";
    private int open;
    private long vacantSince;
    private long longestVacancy;
    private boolean doubled;

    Tenure(int partition) {
        this.partition = partition;
    }

    synchronized void restart() {
        silence.restart();
        longestVacancy = 0;
    }

    synchronized void opened(long now) {
        if (vacantSince > 0) {
            longestVacancy = Math.max(longestVacancy, now - vacantSince);
            vacantSince = 0;
        }
        doubled |= ++open > 1;
    }

    synchronized void closed(long now) {
        if (--open == 0) {
            vacantSince = now;
        }
    }

    synchronized Optional<HandOver> processed(String instance, long now) {
        long pause = silence.heard(now);
        if (instance.equals(worker)) {
            return Optional.empty();
        }
        String from = worker;
        worker = instance;
        return from.isEmpty() ? Optional.empty() : Optional.of(new HandOver(partition, from, instance, pause));
    }

    synchronized String worker() {
        return worker;
    }

    synchronized boolean doubled() {
        return doubled;
    }

    synchronized long longestSilence(long now) {
        return silence.longest(now);
    }

    synchronized long longestVacancy(long now) {
        return vacantSince > 0 ? Math.max(longestVacancy, now - vacantSince) : longestVacancy;
    }

    synchronized boolean busy(long now, long withinMs) {
        return open == 1 && silence.sinceLast(now) < withinMs;
    }
}
