// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.List;

/**
 * One assignor's whole run.
 *
 * @param events what each joining cost
 * @param rejoins the same for joining again, between one way to go and the next
 * @param exits what taking the last instance away cost, way by way; empty unless that was asked for
 */
record RunResult(String assignor, String note, List<EventResult> events, List<EventResult> rejoins, List<ExitResult> exits,
        Verdict verdict) {
}
