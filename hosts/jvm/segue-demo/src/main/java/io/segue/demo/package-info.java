// SPDX-License-Identifier: Apache-2.0
/** The demo: a real Kafka Streams application that is scaled out while it works, measured per partition. */
package io.segue.demo;
