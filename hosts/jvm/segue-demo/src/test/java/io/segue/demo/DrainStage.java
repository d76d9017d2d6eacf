// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.segue.demo.Gates.Gate;

/**
 * The stages of a drain, in their order, each as it shows from outside; gates keep the drain at the shorter ones, as far
 * as it lies with segue: a session that a slow moment has ended brings a rebalance that no gate withholds.
 */
enum DrainStage {
    /** The mark is written, and its instance has not seen it. */
    MARKED {
        @Override
        void hold(Drain drain) {
            drain.leaver().close(Gate.LOOK);
        }

        @Override
        boolean reached(Drain drain) {
            return true;
        }
    },
    /** Learners are assigned and have learned nothing yet. */
    LEARNING {
        @Override
        void hold(Drain drain) {
            drain.others().forEach(pod -> pod.close(Gate.RESTORE));
        }

        @Override
        boolean reached(Drain drain) {
            return drain.learner().told("learning");
        }
    },
    /** A learner is caught up, and nobody has asked for its hand-over. */
    READY {
        @Override
        void hold(Drain drain) {
            drain.leaver().close(Gate.REMIND);
            drain.others().forEach(pod -> pod.close(Gate.ASK));
        }

        @Override
        boolean reached(Drain drain) {
            return drain.others().stream().anyMatch(pod -> pod.told("asking"));
        }
    },
    /** In the middle of a hand-over: the leaver has given tasks up, and nobody owns them. */
    REVOKED {
        @Override
        void hold(Drain drain) {
            drain.leaver().close(Gate.REJOIN);
        }

        @Override
        boolean reached(Drain drain) {
            return drain.leaver().told("closed");
        }
    },
    /** The first learner owns what it learned. */
    PROMOTED {
        @Override
        boolean reached(Drain drain) {
            return drain.learner().opened(drain.tasks());
        }
    },
    /** All is elsewhere; the leaver will go as soon as it is sure of that. */
    EMPTY {
        @Override
        boolean reached(Drain drain) {
            Set<Integer> elsewhere = new HashSet<>();
            drain.others().forEach(pod -> elsewhere.addAll(pod.open()));
            return elsewhere.containsAll(drain.tasks()) && drain.leaver().told("drain DRAINING 0");
        }
    },
    /** The leaver has left the group; its mark is still there. */
    LEFT {
        @Override
        boolean reached(Drain drain) {
            return drain.leaver().told("state NOT_RUNNING");
        }
    };

    /**
     * Who plays which part.
     *
     * @param learner hosts a learner and does not lead
     * @param tasks what the leaver has to give
     */
    record Drain(Pod leaver, Pod learner, Pod leader, Set<Integer> tasks) {
        List<Pod> others() {
            return List.of(learner, leader);
        }
    }

    /** Before the mark: whatever would carry the drain past this stage waits from now on. */
    void hold(Drain drain) {
    }

    abstract boolean reached(Drain drain);

    /** The stage behind this one at which the drain already is, when it got there without this one having been seen. */
    Optional<DrainStage> passedFor(Drain drain) {
        return Stream.of(values()).filter(stage -> stage.compareTo(this) > 0 && stage.reached(drain)).findFirst();
    }

    /** Everything goes on. */
    static void release(Drain drain) {
        for (Gate gate : Gate.values()) {
            drain.leaver().open(gate);
            drain.others().forEach(pod -> pod.open(gate));
        }
    }
}
