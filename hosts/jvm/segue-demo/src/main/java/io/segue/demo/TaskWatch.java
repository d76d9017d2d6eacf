// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/** Hears from the processors what they do; called on stream threads, and must not block. */
interface TaskWatch {
    void opened(int partition, String instance);

    void closed(int partition, String instance);

    void processed(int partition, String instance);
}
