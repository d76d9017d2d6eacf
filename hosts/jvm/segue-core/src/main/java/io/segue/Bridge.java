// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * An {@link Assignor} as a program that segue-bridge asks: {@code java -cp … io.segue.Bridge com.example.Mine}. The
 * class has a constructor without parameters.
 *
 * <p>Any host (the program, Python, C) then has it as an assignor: {@code hosts/MANAGED.md}. Group messages come in one
 * behind the other, and for each a plan message goes out. What the assignor prints goes to standard error.
 *
 * @since 1.0
 */
public final class Bridge {
    private static final int LENGTH_AT = 8;

    private Bridge() {}

    /**
     * Answers until there is nothing more to read.
     *
     * @param arguments the name of a class that is an {@link Assignor}
     */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        if (arguments.length != 1) {
            System.err.println("usage: java -cp … io.segue.Bridge CLASS, which is an io.segue.Assignor");
            System.exit(2);
        }
        System.setOut(System.err);
        Assignor assignor = (Assignor)
                Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        NativeLibrary.load();
        try (DataInputStream in = new DataInputStream(new FileInputStream(FileDescriptor.in));
                OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            serve(new Upcall(assignor), in, out);
        }
    }

    static void serve(Upcall upcall, DataInputStream in, OutputStream out) throws IOException {
        for (ByteBuffer group = read(in); group != null; group = read(in)) {
            ByteBuffer plan = upcall.assign(group);
            byte[] bytes = new byte[plan.capacity()];
            plan.get(0, bytes);
            out.write(bytes);
            out.flush();
        }
    }

    /** The next message, or null where there is none any more. */
    private static ByteBuffer read(DataInputStream in) throws IOException {
        byte[] head = new byte[Wire.HEADER_BYTES];
        try {
            in.readFully(head);
        } catch (EOFException end) {
            return null;
        }
        long size = Buffers.little(ByteBuffer.wrap(head)).getLong(LENGTH_AT);
        if (size < head.length || size > Integer.MAX_VALUE - head.length) {
            throw new IOException("no group message comes in: it would have " + size + " bytes");
        }
        byte[] rest = new byte[(int) size - head.length];
        in.readFully(rest);
        return Buffers.direct((int) size).put(0, head).put(head.length, rest);
    }
}
