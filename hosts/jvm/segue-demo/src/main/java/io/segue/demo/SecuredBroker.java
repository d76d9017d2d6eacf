// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A broker with a second door: SASL over TLS, behind which everybody may do what was allowed and no more. Through the
 * plain one, which is the harness's own, everything is allowed.
 */
final class SecuredBroker implements AutoCloseable {
    /** Those who can log in; the name is the password. */
    static final String APPLICATION = "app";
    static final String OPERATOR = "operator";

    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required";

    private final Broker broker;
    private final Admin admin;
    private final Certificate certificate;

    private SecuredBroker(Broker broker, Certificate certificate) {
        this.broker = broker;
        this.admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        this.certificate = certificate;
    }

    /** @param directory exists; certificates come into it, the broker's logs below it */
    static SecuredBroker start(Path directory) {
        Certificate certificate = Certificate.create(directory);
        return new SecuredBroker(
                Broker.start(
                        directory.resolve("broker"),
                        (config, further) -> secure(config, further, certificate.keyStore())),
                certificate);
    }

    private static void secure(Properties config, String secured, Path keyStore) {
        append(config, "listeners", "SASL_SSL://" + secured);
        append(config, "advertised.listeners", "SASL_SSL://" + secured);
        append(config, "listener.security.protocol.map", "SASL_SSL:SASL_SSL");
        config.put("sasl.enabled.mechanisms", "PLAIN");
        config.put("listener.name.sasl_ssl.plain.sasl.jaas.config", LOGIN + Stream.of(APPLICATION, OPERATOR)
                .map(user -> " user_" + user + "=\"" + user + "\"")
                .collect(Collectors.joining()) + ";");
        config.put("ssl.keystore.type", "PEM");
        config.put("ssl.keystore.location", keyStore.toString());
        config.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        config.put("super.users", "User:ANONYMOUS");
    }

    private static void append(Properties config, String key, String more) {
        config.merge(key, more, (old, added) -> old + "," + added);
    }

    /** The harness's door. */
    Admin admin() {
        return admin;
    }

    /** The address of the harness's door. */
    String plain() {
        return broker.address();
    }

    /** The address of the door with a lock. */
    String secured() {
        return broker.further();
    }

    /** How a client of that user comes in, in the words of a client's properties file. */
    Map<String, String> login(String user) {
        return Map.of(
                "bootstrap.servers", secured(),
                "security.protocol", "SASL_SSL",
                "ssl.truststore.type", "PEM",
                "ssl.truststore.location", certificate.authority().toString(),
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config", LOGIN + " username=\"" + user + "\" password=\"" + user + "\";");
    }

    /** What any Kafka Streams application needs, segue or not. */
    void allowApplication(String application, Topics topics) {
        allow(APPLICATION, ResourceType.TOPIC, topics.input(), PatternType.LITERAL, AclOperation.READ);
        allow(APPLICATION, ResourceType.TOPIC, topics.output(), PatternType.LITERAL, AclOperation.WRITE);
        allow(APPLICATION, ResourceType.TOPIC, application + "-", PatternType.PREFIXED, AclOperation.ALL);
        allow(APPLICATION, ResourceType.GROUP, application, PatternType.LITERAL, AclOperation.READ);
    }

    /** What presence and marks need besides, as MARKS.md has it. */
    void allowMarks(String user, String application) {
        allow(user, ResourceType.GROUP, application + ".segue.", PatternType.PREFIXED, AclOperation.READ);
        allow(user, ResourceType.GROUP, application + ".segue.", PatternType.PREFIXED, AclOperation.DELETE);
    }

    /** What a tool needs, as MARKS.md has it. */
    void allowTool(String application, Topics topics) {
        allowMarks(OPERATOR, application);
        allow(OPERATOR, ResourceType.TOPIC, topics.input(), PatternType.LITERAL, AclOperation.READ);
        allow(OPERATOR, ResourceType.GROUP, application, PatternType.LITERAL, AclOperation.DESCRIBE);
    }

    private void allow(String user, ResourceType type, String name, PatternType pattern, AclOperation operation) {
        AclBinding binding = new AclBinding(
                new ResourcePattern(type, name, pattern),
                new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
        try {
            admin.createAcls(List.of(binding)).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new DemoException("cannot allow " + binding + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        admin.close();
        broker.close();
    }
}
