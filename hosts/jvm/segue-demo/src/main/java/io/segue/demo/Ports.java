// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/**
 * Ports of loopback that nobody listens on. They come from outside the range from which the kernel takes a port for an
 * outgoing connection: any client's connection could otherwise have one before it is listened on.
 */
final class Ports {
    static final String HOST = "127.0.0.1";

    private static final Path OUTGOING = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int LEAST = 10_000;
    private static final int MOST = 65_535;
    /** Of a range with fewer ports nothing is taken: those that start beside each other would meet in it. */
    private static final int ENOUGH = 1_000;
    private static final int TRIES = 100;

    private Ports() {
    }

    /** So many, no two the same: each is held until all are chosen. */
    static List<Integer> choose(int count) {
        int[] range = range();
        return choose(count, () -> ThreadLocalRandom.current().nextInt(range[0], range[1] + 1));
    }

    /** @param candidates what is tried one after the other; 0 for any that the kernel gives */
    static List<Integer> choose(int count, IntSupplier candidates) {
        List<ServerSocket> held = new ArrayList<>();
        try {
            while (held.size() < count) {
                held.add(hold(candidates));
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } catch (IOException e) {
            throw new DemoException("no port is free on loopback: " + e.getMessage(), e);
        } finally {
            held.forEach(Ports::close);
        }
    }

    private static ServerSocket hold(IntSupplier candidates) throws IOException {
        InetAddress host = InetAddress.getByName(HOST);
        for (int tried = 0; tried < TRIES; tried++) {
            try {
                return new ServerSocket(candidates.getAsInt(), 1, host);
            } catch (BindException taken) {
                continue;
            }
        }
        return new ServerSocket(0, 1, host);
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new DemoException("a port of loopback cannot be given back: " + e.getMessage(), e);
        }
    }

    /** The larger of the two ranges beside the kernel's; 0 to 0 where neither is large enough. */
    private static int[] range() {
        int[] outgoing = outgoing();
        int[] below = {LEAST, outgoing[0] - 1};
        int[] above = {outgoing[1] + 1, MOST};
        int[] larger = above[1] - above[0] > below[1] - below[0] ? above : below;
        return larger[1] - larger[0] < ENOUGH ? new int[] {0, 0} : larger;
    }

    /** First and last port that the kernel takes for connections; its defaults where it does not say. */
    static int[] outgoing() {
        // Such a file has to be read at once: behind its first bytes there is nothing more, and its size is 0.
        try (BufferedReader file = Files.newBufferedReader(OUTGOING)) {
            String[] words = file.readLine().strip().split("\\s+");
            return new int[] {Integer.parseInt(words[0]), Integer.parseInt(words[1])};
        } catch (IOException unsaid) {
            return new int[] {32_768, 60_999};
        }
    }
}
