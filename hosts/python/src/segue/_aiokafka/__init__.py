# SPDX-License-Identifier: Apache-2.0
"""Stateful consumers over aiokafka: what segue._state decides, done on the application's event loop.

consumer    the consumer as the application uses it
group       its member of the group: assignments, commits, rejoins
fetched     records that were fetched and that the application has not got yet
fetcher     what aiokafka fetches them with
changelog   writes, on their way into the changelog topic
topics      what there is of input and changelog
replay      the second consumer, which reads changelogs back
mapping     our assignors in aiokafka's types
assignor    what aiokafka calls at a rebalance of stateful consumers
door        how a stranger asks for a rebalance in its place
beat        heartbeats at the moments of the group
options     the client's options
"""
