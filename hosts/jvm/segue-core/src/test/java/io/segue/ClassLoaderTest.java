// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLClassLoader;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClassLoaderTest {
    private static final int ROUNDS = 20;

    @ParameterizedTest
    @ValueSource(strings = {"none", "thread", "process"})
    void shouldServeTwoClassLoadersAtOnce(String isolation) throws Exception {
        try (URLClassLoader left = Guests.newLoader();
                URLClassLoader right = Guests.newLoader()) {
            UnaryOperator<String> one = Guests.open(left, isolation);
            UnaryOperator<String> other = Guests.open(right, isolation);
            assertThat(one.getClass()).isNotSameAs(other.getClass());
            assertThat(one.apply("learner")).isEqualTo(other.apply("learner")).isEqualTo(other.apply("own"));
            ((AutoCloseable) one).close();
            assertThat(other.apply("own")).isEqualTo(other.apply("learner"));
            ((AutoCloseable) other).close();
        }
    }

    /** What a server does to which an application is deployed again and again; half of them forget to close. */
    @Test
    void shouldReleaseHostAndLibraryWithTheirClassLoader() throws Exception {
        assertThat(Guests.goes(Guests.used("process", true))).isTrue();
        long plugins = Guests.mapped(NativePlatform.PLUGIN);
        long libraries = Guests.mapped(NativePlatform.LIBRARY);
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(Guests.goes(Guests.used(round % 4 < 2 ? "process" : "none", round % 2 == 0)))
                    .as("round %d", round)
                    .isTrue();
        }
        assertThat(Guests.mappedAtMost(libraries, NativePlatform.LIBRARY)).isTrue();
        assertThat(Guests.mapped(NativePlatform.PLUGIN)).isEqualTo(plugins);
        assertThat(Guests.isAloneAgain()).isTrue();
    }
}
