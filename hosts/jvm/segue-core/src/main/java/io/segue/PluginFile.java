// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Properties;

/**
 * The plugin out of the jar. A plugin is never unloaded, and what is mapped counts by file; so all class loaders of a JVM
 * that bring the same bytes share one file, and an application that is deployed again and again does not grow.
 */
final class PluginFile {
    /** With the digest of the bytes behind it; its value is the file. System properties outlive class loaders. */
    static final String KNOWN = "segue.native.plugin.";

    private PluginFile() {}

    /** The file that is there, or else a new one in that folder. */
    static Path in(WorkFolder folder) {
        Properties shared = System.getProperties();
        synchronized (shared) {
            String digest = digest(NativePlatform.PLUGIN, WorkFolder.bundled(NativePlatform.PLUGIN));
            Path known = Path.of(shared.getProperty(KNOWN + digest, ""));
            if (Files.isRegularFile(known) && digestOf(known).equals(digest)) {
                return known;
            }
            Path file = folder.extract(NativePlatform.PLUGIN);
            shared.setProperty(KNOWN + digest, file.toString());
            return file;
        }
    }

    private static String digestOf(Path file) {
        try {
            return digest(file.toString(), Files.newInputStream(file));
        } catch (IOException fault) {
            throw unreadable(file.toString(), fault);
        }
    }

    private static String digest(String name, InputStream bytes) {
        try (DigestInputStream in = new DigestInputStream(bytes, MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (IOException fault) {
            throw unreadable(name, fault);
        } catch (NoSuchAlgorithmException fault) {
            throw new IllegalStateException("every Java platform has SHA-256", fault);
        }
    }

    private static SegueException unreadable(String name, IOException fault) {
        return new SegueException("system", name + " could not be read (" + fault + ")", fault);
    }
}
