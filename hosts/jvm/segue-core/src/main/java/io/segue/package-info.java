// SPDX-License-Identifier: Apache-2.0
/**
 * Assignment plans for groups of stateful members, in Java. {@link io.segue.Segue} is the door.
 *
 * @since 1.0
 */
package io.segue;
