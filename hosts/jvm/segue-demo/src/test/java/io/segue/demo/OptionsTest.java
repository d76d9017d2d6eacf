// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void shouldRefuseMoreInstancesThanPartitions() {
        assertThat(refused("--instances", "9")).contains("--instances 9 is more than --partitions 8");
    }

    @Test
    void shouldRefuseAnUnknownAssignor() {
        assertThat(refused("--assignor", "stciky")).contains("stciky", "sticky, high-availability and segue-high-availability");
    }

    @Test
    void shouldRefuseASizeOfNothing() {
        assertThat(refused("--state-mb", "0")).contains("--state-mb is 0; it must be at least 1");
    }

    @Test
    void shouldRefuseToDrainTheOnlyInstance() {
        assertThat(refused("--drain", "--instances", "1")).contains("--instances must be at least 2");
    }

    @Test
    void shouldRefuseAnUnknownWayToGo() {
        assertThat(refused("--drain", "--ways", "drain,vanish")).contains("vanish", "drain, leave and close");
    }

    @Test
    void shouldRefuseAnUnknownOption() {
        assertThat(refused("--stat-mb", "10")).contains("--stat-mb");
    }

    /** Answers what was said on standard error, and insists on the exit status of a wrong option. */
    private static String refused(String... arguments) {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(Demo.run(arguments)).isEqualTo(2);
        } finally {
            System.setErr(before);
        }
        return said.toString(StandardCharsets.UTF_8);
    }
}
