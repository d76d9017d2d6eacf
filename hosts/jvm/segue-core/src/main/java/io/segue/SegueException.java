// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.OptionalInt;

/**
 * The one exception of this library: what, where, and what would be right, in one sentence.
 *
 * @since 1.0
 */
public final class SegueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String status;
    private final int rule;
    private final int row;

    SegueException(String status, int rule, int row, String text) {
        super(text);
        this.status = status;
        this.rule = rule;
        this.row = row;
    }

    SegueException(String status, String text) {
        this(status, 0, Frame.NONE, text);
    }

    SegueException(String status, String text, Throwable cause) {
        this(status, text);
        initCause(cause);
    }

    /** The kind of fault as a stable word, such as {@code bad-group}, {@code bad-config} or {@code no-such-name}. */
    public String status() {
        return status;
    }

    /** The rule R1 to R9 that was broken, or 0. */
    public int rule() {
        return rule;
    }

    /** The offending row, by its rank in canonical order. */
    public OptionalInt row() {
        return row == Frame.NONE ? OptionalInt.empty() : OptionalInt.of(row);
    }
}
