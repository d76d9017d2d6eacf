// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A certificate for loopback that signs itself, made anew by the JDK's {@code keytool} and kept as PEM, which Kafka's
 * clients in all languages read.
 *
 * @param keyStore private key and certificate, for the broker
 * @param authority the certificate alone: what a client has to trust
 */
record Certificate(Path keyStore, Path authority) {
    private static final String ALIAS = "segue";
    private static final String PASSWORD = "only-for-a-moment";

    /** Writes both files into {@code directory}, which exists. */
    static Certificate create(Path directory) {
        Path store = directory.resolve("broker.p12");
        try {
            generate(store);
            return export(store, directory);
        } catch (IOException | GeneralSecurityException e) {
            throw new DemoException("cannot make a certificate in " + directory + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoException("interrupted");
        }
    }

    private static void generate(Path store) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                        "-alias", ALIAS, "-dname", "CN=segue", "-keyalg", "EC", "-groupname", "secp256r1",
                        "-ext", "san=ip:127.0.0.1", "-ext", "bc=ca:true", "-validity", "2",
                        "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool: " + said.strip());
        }
    }

    private static Certificate export(Path store, Path directory) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Files.delete(store);
        String certificate = pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
        String key = pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
        return new Certificate(
                Files.writeString(directory.resolve("broker.pem"), key + certificate),
                Files.writeString(directory.resolve("authority.pem"), certificate));
    }

    private static String pem(String what, byte[] bytes) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
    }
}
