// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/**
 * A partition that went from one instance to another.
 *
 * @param silenceMs from the old owner's last record to the new owner's first
 */
record HandOver(int partition, String from, String to, long silenceMs) {
}
