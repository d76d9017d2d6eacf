// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class BalanceTest {
    @Test
    void shouldMoveHalfToASecondInstance() {
        assertThat(Balance.leastMoves(List.of(8), 2)).isEqualTo(4);
    }

    @Test
    void shouldLeaveTheLargerSharesWhereTheyAre() {
        assertThat(Balance.leastMoves(List.of(4, 4), 3)).isEqualTo(2);
        assertThat(Balance.leastMoves(List.of(3, 3, 2), 4)).isEqualTo(2);
    }

    @Test
    void shouldMoveNothingWhereSharesAreEven() {
        assertThat(Balance.leastMoves(List.of(3, 3, 2), 3)).isZero();
    }

    @Test
    void shouldCallSharesEvenThatDifferByOne() {
        assertThat(Balance.even(List.of(3, 3, 2), 3)).isTrue();
        assertThat(Balance.even(List.of(4, 2, 2), 3)).isFalse();
    }

    @Test
    void shouldNotForgetAnInstanceWithoutAnything() {
        assertThat(Balance.even(List.of(4, 4), 3)).isFalse();
    }
}
