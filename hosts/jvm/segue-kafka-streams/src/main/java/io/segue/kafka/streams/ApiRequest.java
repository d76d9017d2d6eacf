// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;

/**
 * What was asked over HTTP, without a socket.
 *
 * @param method in capitals
 * @param path without the query
 * @param authorization the header of that name
 * @param origin the header of that name, which only browsers send
 * @param body as text, empty for none
 * @param query what is behind the question mark, empty for none
 */
record ApiRequest(
        String method,
        String path,
        Optional<String> authorization,
        Optional<String> origin,
        String body,
        String query) {
    static ApiRequest of(String method, String path) {
        return new ApiRequest(method, path, Optional.empty(), Optional.empty(), "", "");
    }

    ApiRequest asking(String newQuery) {
        return new ApiRequest(method, path, authorization, origin, body, newQuery);
    }

    ApiRequest with(String newBody) {
        return new ApiRequest(method, path, authorization, origin, newBody, query);
    }
}
