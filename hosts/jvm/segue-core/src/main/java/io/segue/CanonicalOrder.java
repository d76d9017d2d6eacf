// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** The order in which rows stand in a wire group, whatever order a host met them in. */
final class CanonicalOrder {
    /** By unsigned bytes of the UTF-8 form. */
    static final Comparator<String> BYTES =
            (left, right) -> Arrays.compareUnsigned(utf8(left), utf8(right));

    /** Decimal numbers first, by value; all others after them, by bytes. */
    static final Comparator<String> SUBTOPOLOGIES = Comparator.comparing((String name) -> !isNumber(name))
            .thenComparing(name -> isNumber(name) ? new BigInteger(name) : BigInteger.ZERO)
            .thenComparing(BYTES);

    private CanonicalOrder() {}

    private static boolean isNumber(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
