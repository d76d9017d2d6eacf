// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.apache.kafka.clients.consumer.Consumer;

/** Consumers by proxy: the interface grows from release to release, and all of it has to go through. */
final class Proxies {
    private Proxies() {
    }

    @SuppressWarnings("unchecked")
    static Consumer<byte[], byte[]> consumer(InvocationHandler handler) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, handler);
    }

    /** Calls the real method, and throws what it throws. */
    static Object pass(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
