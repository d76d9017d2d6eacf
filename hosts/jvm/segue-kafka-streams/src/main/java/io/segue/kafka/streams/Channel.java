// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** One application's way to its side groups; the instances in a JVM share it, and the last one closes it. */
final class Channel implements AutoCloseable {
    private static final Map<String, Channel> OPEN = new HashMap<>();
    private static final Duration CLOSING = Duration.ofMillis(500);

    private final String key;
    private final Admin admin;
    private final SideGroups groups;
    private final Bulletin bulletin;
    private int users;

    private Channel(String key, String application, Admin admin) {
        this.key = key;
        this.admin = admin;
        this.groups = new SideGroups(admin, application);
        this.bulletin = new Bulletin(groups);
    }

    /** For an instance, which has to close it. */
    static Channel open(String application, Object brokers, Supplier<Admin> clients) {
        synchronized (OPEN) {
            Channel channel = find(application, brokers, clients);
            channel.users++;
            return channel;
        }
    }

    /** For the leader: that of an instance in this JVM, else one that lives as long as the JVM. */
    static Channel forLeader(Map<String, ?> consumerConfig) {
        synchronized (OPEN) {
            return find(String.valueOf(consumerConfig.get(ConsumerConfig.GROUP_ID_CONFIG)),
                    consumerConfig.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG),
                    () -> Admin.create(adminConfig(consumerConfig)));
        }
    }

    private static Channel find(String application, Object brokers, Supplier<Admin> clients) {
        return OPEN.computeIfAbsent(key(application, brokers), key -> new Channel(key, application, clients.get()));
    }

    private static String key(String application, Object brokers) {
        return application + "@" + (brokers instanceof Collection<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(","))
                : String.valueOf(brokers).replace(" ", ""));
    }

    private static Map<String, Object> adminConfig(Map<String, ?> consumerConfig) {
        Map<String, Object> config = new HashMap<>();
        AdminClientConfig.configNames().stream()
                .filter(name -> consumerConfig.get(name) != null && !name.startsWith("metric"))
                .forEach(name -> config.put(name, consumerConfig.get(name)));
        config.computeIfPresent(AdminClientConfig.CLIENT_ID_CONFIG, (key, id) -> id + "-segue");
        return config;
    }

    SideGroups groups() {
        return groups;
    }

    Bulletin bulletin() {
        return bulletin;
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(key);
        }
        admin.close(CLOSING);
    }
}
