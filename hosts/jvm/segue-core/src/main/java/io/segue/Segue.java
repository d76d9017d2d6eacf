// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;

/**
 * The door to segue's assignors: a group goes in, a plan comes out.
 *
 * <pre>{@code
 * Group group = Group.builder()
 *         .subtopology("0", 4)
 *         .member(Member.builder("S1").active("0_0", "0_1", "0_2", "0_3").build())
 *         .member(Member.builder("S2").build())
 *         .build();
 * try (Segue segue = Segue.open()) {
 *     Plan plan = segue.assign("learner", group, Configuration.defaults());
 *     plan.decisions().forEach(decision -> System.out.println(decision.text()));
 * }
 * }</pre>
 *
 * <p>Three questions about the native library: {@linkplain #isAvailable() is it there},
 * {@linkplain #unavailabilityCause() why not}, and {@linkplain #ensureAvailable() insist}. It is loaded once, at the
 * first of them or at the first {@link #open()}; from where, README.md beside this module says.
 *
 * <p>Thread: every method may be called from any thread at any time; {@link #close()} waits for running calls.
 * Blocking: none but the loading of files at the first use. An instance that nobody closed is freed when it is
 * collected.
 *
 * @since 1.0
 */
public final class Segue implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final Map<String, Assignor> FOR_ALL = new ConcurrentHashMap<>();

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final HostHandle handle;
    private final Cleaner.Cleanable cleanable;

    private Segue(HostHandle handle) {
        this.handle = handle;
        this.cleanable = CLEANER.register(this, handle);
    }

    /** Whether the native library can be used. */
    public static boolean isAvailable() {
        return unavailabilityCause().isEmpty();
    }

    /** Why it cannot, if it cannot. What was tried hangs on it as suppressed exceptions. */
    public static Optional<SegueException> unavailabilityCause() {
        return NativeLibrary.failure();
    }

    /** Returns if it can be used; else throws what says why not. */
    public static void ensureAvailable() {
        NativeLibrary.load();
    }

    /** The version of the native library, such as {@code 1.0.0}. */
    public static String version() {
        NativeLibrary.load();
        return NativeCall.texts(Natives::version).get(0);
    }

    /**
     * Refuses a configuration with a value out of range or an unknown key under {@code segue.}.
     *
     * @throws SegueException {@code bad-config}; the message names the key, and the nearest known one
     */
    public static void check(Configuration configuration) {
        NativeLibrary.load();
        NativeCall.configure(configuration);
    }

    /** Opens the assignors that come with this library, after those on the environment's SEGUE_PLUGIN_PATH. */
    public static Segue open() {
        return open("");
    }

    /**
     * Opens assignors. Nothing of a plugin is loaded before it is needed.
     *
     * @param pluginPath folders and plugin files, separated by ':', searched before those that come with this library
     */
    public static Segue open(String pluginPath) {
        return open(pluginPath, Configuration.defaults());
    }

    /**
     * Like {@link #open(String)}, by three keys of a configuration: {@code segue.record.path} names a file in which is
     * written down what is asked and answered, made when it is not there, for {@code segue replay};
     * {@code segue.isolation} says how plugins are kept from this process, and after {@code segue.max.faults} faults an
     * assignor is put aside. What each isolation promises stands in ISOLATION.md of segue's hosts.
     *
     * @param pluginPath as above
     * @param configuration its other keys are not looked at
     * @throws SegueException {@code bad-config}: no such isolation, or no such number. {@code system}: the file cannot be
     *     written, or the program for plugins' processes is not there
     */
    public static Segue open(String pluginPath, Configuration configuration) {
        HostOptions options = HostOptions.of(configuration);
        List<String> places = new ArrayList<>();
        if (!pluginPath.isEmpty()) {
            places.add(pluginPath);
        }
        NativeLibrary.load().plugin().ifPresent(file -> places.add(file.toString()));
        Frame frame = new Frame();
        frame.check(Natives.open(Buffers.text(String.join(":", places)), Buffers.text(options.recordPath()), false,
                Buffers.text(options.isolation()), options.maxFaults(), frame.buffer()));
        Segue opened = new Segue(new HostHandle(frame.value()));
        FOR_ALL.forEach(opened::register);
        return opened;
    }

    /**
     * The same as {@link #register} for every instance that is opened later on by this class loader, those inside of
     * consumers and Kafka Streams too.
     */
    public static void registerForAll(String name, Assignor assignor) {
        try (Segue probe = open()) {
            probe.register(name, assignor);
        }
        FOR_ALL.put(name, assignor);
    }

    /** Instances that are opened from now on do not have it; those that are open keep it. */
    public static void unregisterForAll(String name) {
        FOR_ALL.remove(name);
    }

    /**
     * What an instance that is opened now has of these, by name; an unmodifiable copy.
     *
     * @since 1.0
     */
    public static Map<String, Assignor> registeredForAll() {
        return Map.copyOf(FOR_ALL);
    }

    /**
     * This program as the assignor of that name, for hosts in other languages and processes: the program {@code segue},
     * Python, C, another JVM. It is a file called NAME.assignor that may be executed and lies on the host's plugin path, as a
     * rule a line of shell that starts this JVM. The host starts it, asks it, kills it when it is late, and judges its plans.
     * Returns when there is nothing more to ask, and the program has five seconds to end then.
     *
     * @throws SegueException {@code bad-argument}: no host has started this program, or the name is none.
     *     {@code version}: that host has another version of segue
     */
    public static void serve(String name, Assignor assignor) {
        try (Segue opened = open()) {
            opened.register(name, assignor);
            Frame frame = new Frame();
            frame.check(opened.whileOpen(host -> Natives.serve(host, Buffers.text(name), frame.buffer())));
        }
    }

    /**
     * An assignor that is written in Java, asked by that name before any plugin. One that was registered under it before
     * is replaced; calls that run end on that. It is kept until it is unregistered or replaced, or this instance is closed.
     *
     * @throws SegueException {@code bad-argument}: a name that no assignor may have. {@code system}: this instance is closed
     */
    public void register(String name, Assignor assignor) {
        Upcall upcall = new Upcall(assignor);
        Frame frame = new Frame();
        frame.check(whileOpen(host ->
                Natives.register(host, upcall.texts(name), upcall.traits(), upcall, frame.buffer())));
    }

    /**
     * The assignor of that name is asked no more.
     *
     * @throws SegueException {@code no-such-name}: none of that name is registered
     */
    public void unregister(String name) {
        Frame frame = new Frame();
        frame.check(whileOpen(host -> Natives.unregister(host, Buffers.text(name), frame.buffer())));
    }

    /** The assignors that can be asked. */
    public List<AssignorInfo> assignors() {
        List<String> texts = whileOpen(host -> NativeCall.texts((out, frame) -> Natives.assignors(host, out, frame)));
        List<AssignorInfo> assignors = new ArrayList<>();
        for (int at = 0; at + 6 < texts.size(); at += 7) {
            assignors.add(new AssignorInfo(
                    texts.get(at), texts.get(at + 1), texts.get(at + 2), texts.get(at + 3),
                    texts.get(at + 4).equals("cold"), texts.get(at + 5), texts.get(at + 6)));
        }
        return assignors;
    }

    /**
     * An assignor by its name.
     *
     * @throws SegueException {@code no-such-name}; the message names the nearest one, and lists those that there are
     */
    public AssignorInfo assignor(String name) {
        return assignors().stream()
                .filter(assignor -> assignor.name().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(name));
    }

    /** The words are the library's, which refuses the name before it looks at the group. */
    private SegueException unknown(String name) {
        try {
            assign(name, Group.builder().subtopology("0", 1).member(Member.builder("nobody").build()).build(),
                    Configuration.defaults());
        } catch (SegueException refusal) {
            return refusal;
        }
        return new SegueException("no-such-name", "no assignor " + name);
    }

    /**
     * The plan of an assignor for a group. It is always a valid one: when the assignor fails, the fallback's, and
     * {@link Plan#report()} says so.
     *
     * @param assignor its name, such as {@code learner}
     * @throws SegueException {@code no-such-name}: no such assignor; the message lists those that there are.
     *     {@code bad-config} and {@code bad-group}: the message says where. {@code system}: this instance is closed
     */
    public Plan assign(String assignor, Group group, Configuration configuration) {
        return assignRecorded(assignor, group, configuration).plan();
    }

    /**
     * Like {@link #assign}, for who wants to keep what was asked with what was answered.
     *
     * @throws SegueException as {@link #assign}
     */
    public Recorded assignRecorded(String assignor, Group group, Configuration configuration) {
        CanonicalGroup rows = new CanonicalGroup(group);
        ByteBuffer message = GroupEncoder.encode(rows, NativeCall.configure(configuration));
        return whileOpen(host -> NativeCall.assign(host, assignor, rows, message));
    }

    /**
     * Asks an assignor that was put aside again, and forgets its faults.
     *
     * @throws SegueException {@code no-such-name}: none of that name has been loaded here
     */
    public void reinstate(String assignor) {
        putBack(assignor);
    }

    /** The same for every assignor. */
    public void reinstateAll() {
        putBack("");
    }

    private void putBack(String assignor) {
        Frame frame = new Frame();
        whileOpen(host -> {
            frame.check(Natives.reinstate(host, Buffers.text(assignor), frame.buffer()));
            return frame;
        });
    }

    /** What was counted since it was opened. */
    public Metrics metrics() {
        return whileOpen(NativeCall::metrics);
    }

    /**
     * Frees what the instance holds, after running calls have ended. Closing twice is allowed.
     *
     * @throws IllegalStateException inside of an {@link Assignor}, whose call would have to end first
     */
    @Override
    public void close() {
        if (lock.getReadHoldCount() > 0) {
            throw new IllegalStateException("an assignor cannot close the instance of Segue that asks it");
        }
        Lock exclusive = lock.writeLock();
        exclusive.lock();
        try {
            cleanable.clean();
        } finally {
            exclusive.unlock();
        }
    }

    private <T> T whileOpen(LongFunction<T> call) {
        Lock shared = lock.readLock();
        shared.lock();
        try {
            return call.apply(handle.get());
        } finally {
            shared.unlock();
        }
    }

    /** What the cleaner holds: it must not refer to the instance. */
    private static final class HostHandle implements Runnable {
        private long address;

        HostHandle(long address) {
            this.address = address;
        }

        long get() {
            if (address == 0) {
                throw new SegueException("system", "this instance of Segue is closed: open another one");
            }
            return address;
        }

        @Override
        public void run() {
            Natives.close(address);
            address = 0;
        }
    }
}
