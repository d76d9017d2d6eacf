// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;


/**
 * What taking one instance away cost.
 *
 * @param way how it was taken away
 * @param event the figures
 */
record ExitResult(String way, EventResult event) {
}
