// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/** Counts keys, keeps the newest payload, and reports every record to the watch. */
final class CountProcessor implements Processor<String, byte[], String, byte[]> {
    private final String instance;
    private final TaskWatch watch;
    private ProcessorContext<String, byte[]> context;
    private KeyValueStore<String, Long> counts;
    private KeyValueStore<String, byte[]> newest;
    private int partition;

    CountProcessor(String instance, TaskWatch watch) {
        this.instance = instance;
        this.watch = watch;
    }

    @Override
    public void init(ProcessorContext<String, byte[]> context) {
        this.context = context;
        this.counts = context.getStateStore(CountingTopology.COUNTS);
        this.newest = context.getStateStore(CountingTopology.NEWEST);
        this.partition = context.taskId().partition();
        watch.opened(partition, instance);
    }

    @Override
    public void process(Record<String, byte[]> record) {
        Long before = counts.get(record.key());
        long count = before == null ? 1 : before + 1;
        counts.put(record.key(), count);
        newest.put(record.key(), record.value());
        watch.processed(partition, instance);
        long sequence = Workload.sequenceOf(record.value());
        if (sequence != Workload.PRELOAD) {
            context.forward(record.withValue(new Emission(partition, sequence, count, instance).encode()));
        }
    }

    @Override
    public void close() {
        watch.closed(partition, instance);
    }
}
