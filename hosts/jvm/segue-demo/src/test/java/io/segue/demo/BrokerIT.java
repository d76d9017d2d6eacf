// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody has a port that a broker was to have. */
class BrokerIT {
    @TempDir
    private Path directory;

    @Test
    void shouldStartOnOtherPortsWhenItsControllersIsTaken() throws Exception {
        List<Integer> free = Ports.choose(5);
        try (ServerSocket taken = taken(0)) {
            Iterator<List<Integer>> choices = List.of(
                            List.of(free.get(0), taken.getLocalPort(), free.get(1)), free.subList(2, 5))
                    .iterator();

            try (Broker broker = Broker.start(directory, (usual, further) -> { }, choices::next)) {
                assertThat(broker.address()).isEqualTo(Ports.HOST + ":" + free.get(2));
                assertThat(answers(broker)).isTrue();
                shouldNotMoveWhenItStartsAgain(broker, free.get(2));
            }
        }
    }

    /** Its clients know no other address. */
    private static void shouldNotMoveWhenItStartsAgain(Broker broker, int port) throws Exception {
        broker.close();
        try (ServerSocket taken = taken(port)) {
            assertThatThrownBy(broker::start).as("%s", taken).hasRootCauseMessage("Address already in use");
        }

        broker.start();

        assertThat(answers(broker)).isTrue();
    }

    private static ServerSocket taken(int port) throws Exception {
        return new ServerSocket(port, 1, InetAddress.getByName(Ports.HOST));
    }

    private static boolean answers(Broker broker) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            return !admin.describeCluster().nodes().get(300, TimeUnit.SECONDS).isEmpty();
        }
    }
}
