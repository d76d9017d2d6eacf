// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/** One watch after the other. */
record BothWatches(TaskWatch first, TaskWatch second) implements TaskWatch {
    @Override
    public void opened(int partition, String instance) {
        first.opened(partition, instance);
        second.opened(partition, instance);
    }

    @Override
    public void closed(int partition, String instance) {
        first.closed(partition, instance);
        second.closed(partition, instance);
    }

    @Override
    public void processed(int partition, String instance) {
        first.processed(partition, instance);
        second.processed(partition, instance);
    }
}
