// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.function.IntSupplier;

import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void shouldBeDistinctAndNoneThatAConnectionMayTake() {
        int[] outgoing = Ports.outgoing();

        List<Integer> chosen = Ports.choose(300);

        assertThat(new HashSet<>(chosen)).hasSize(300);
        assertThat(chosen).noneMatch(port -> port >= outgoing[0] && port <= outgoing[1]);
    }

    @Test
    void shouldHoldEachUntilAllAreChosen() {
        List<Integer> free = Ports.choose(2);

        assertThat(Ports.choose(2, oneByOne(free.get(0), free.get(0), free.get(1)))).isEqualTo(free);
    }

    @Test
    void shouldPassOverWhatSomebodyHas() throws Exception {
        int free = Ports.choose(1).get(0);

        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(Ports.HOST))) {
            assertThat(Ports.choose(1, oneByOne(taken.getLocalPort(), free))).containsExactly(free);
        }
    }

    /** Where nearly all are taken the kernel knows one. */
    @Test
    void shouldAskTheKernelInTheEnd() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(Ports.HOST))) {
            assertThat(Ports.choose(1, taken::getLocalPort)).isNotEqualTo(List.of(taken.getLocalPort()));
        }
    }

    private static IntSupplier oneByOne(Integer... ports) {
        return List.of(ports).iterator()::next;
    }
}
