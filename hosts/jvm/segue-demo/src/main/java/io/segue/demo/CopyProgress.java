// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/**
 * How far one instance is with the state it builds up.
 *
 * @param ready tasks whose copy is caught up
 */
record CopyProgress(boolean learning, int tasks, int ready, long loaded, long total) {
    boolean complete() {
        return ready == tasks;
    }
}
