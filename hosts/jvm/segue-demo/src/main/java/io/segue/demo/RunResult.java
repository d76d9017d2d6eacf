// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.List;

/** One assignor's whole run. */
record RunResult(String assignor, String note, List<EventResult> events, Verdict verdict) {
}
