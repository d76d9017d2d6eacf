// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.segue.AssignorInfo;
import io.segue.SegueException;

/** The assignors that this process can ask. Safe from any thread; the first call loads the plugins. */
record Offer(io.segue.Segue segue) {
    List<String> names() {
        return infos().map(AssignorInfo::name).sorted().toList();
    }

    Optional<AssignorInfo> info(String assignor) {
        return infos().filter(info -> info.name().equals(assignor)).findFirst();
    }

    /** @throws IllegalArgumentException naming the nearest one, and those that there are */
    void require(String assignor) {
        try {
            segue.assignor(assignor);
        } catch (SegueException fault) {
            throw fault.status().equals("no-such-name") ? new IllegalArgumentException(fault.getMessage(), fault) : fault;
        }
    }

    private Stream<AssignorInfo> infos() {
        return segue.assignors().stream();
    }
}
