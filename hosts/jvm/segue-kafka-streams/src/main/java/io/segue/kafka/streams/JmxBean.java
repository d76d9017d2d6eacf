// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import javax.management.JMException;
import javax.management.ObjectName;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The instance's bean; a name that is taken costs the bean, not the instance. */
record JmxBean(SegueInstance instance) implements SegueInstanceMXBean {
    private static final Logger LOG = LoggerFactory.getLogger(JmxBean.class);

    static Runnable register(SegueInstance instance, String application, String id) {
        try {
            ObjectName name = new ObjectName("io.segue.kafka.streams:type=Instance,application="
                    + ObjectName.quote(application) + ",instance=" + ObjectName.quote(id));
            ManagementFactory.getPlatformMBeanServer().registerMBean(new JmxBean(instance), name);
            return () -> unregister(name);
        } catch (JMException fault) {
            LOG.warn("No JMX bean for this instance: {}", fault.toString());
            return () -> { };
        }
    }

    private static void unregister(ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException fault) {
            LOG.debug("The JMX bean {} was gone already", name, fault);
        }
    }

    @Override
    public String getState() {
        return instance.drainState().phase().word();
    }

    @Override
    public long getSinceMs() {
        return instance.drainState().since().map(Instant::toEpochMilli).orElse(0L);
    }

    @Override
    public long getDeadlineMs() {
        return instance.drainState().deadline().map(Instant::toEpochMilli).orElse(0L);
    }

    @Override
    public int getTasksLeft() {
        return instance.drainState().tasksLeft();
    }

    @Override
    public boolean isReadyToStop() {
        return instance.drainState().readyToStop();
    }

    @Override
    public String getAssignor() {
        return instance.assignor();
    }

    @Override
    public String getConfiguredAssignor() {
        return instance.choice().configured();
    }

    @Override
    public String getRefusedAssignor() {
        return instance.choice().refused().orElse("");
    }

    @Override
    public Map<String, String> getLed() {
        Map<String, String> texts = new LinkedHashMap<>();
        instance.led().map(Led::fields).ifPresent(fields -> fields.forEach((name, value) ->
                texts.put(name, value.toString())));
        return texts;
    }

    @Override
    public Map<String, Long> getPlans() {
        return SharedSegue.metrics().byName();
    }

    @Override
    public void reinstate() {
        SharedSegue.reinstateAll();
    }

    @Override
    public void drain(long timeoutMs) {
        if (timeoutMs > 0) {
            instance.drain(Duration.ofMillis(timeoutMs));
        } else {
            instance.drain();
        }
    }

    @Override
    public void cancelDrain() {
        instance.cancelDrain();
    }

    @Override
    public void swap(String assignor) {
        refuse(instance.swap(assignor));
    }

    @Override
    public void swapBack() {
        refuse(instance.swapBack());
    }

    /** What is wrong with the request itself is known at once. */
    private static void refuse(CompletableFuture<String> swap) {
        if (swap.isCompletedExceptionally()) {
            try {
                swap.join();
            } catch (CompletionException fault) {
                throw new IllegalArgumentException(fault.getCause().getMessage());
            }
        }
    }
}
