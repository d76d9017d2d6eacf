# SPDX-License-Identifier: Apache-2.0
"""Draining and swapping: what members and tools say to each other through Kafka, as hosts/MARKS.md has it.

documents    the JSON of side groups; mark, swap, presence and led are its kinds
side_groups  names of the groups, and what a client has to offer to read and write them
side_entry   what stands in one group, as seen last; inbox has the two that are said to one member
bulletin     what the leader has to know at a rebalance
membership   one consumer's part in the group: what the assignor asks it and tells it
attendant    the thread that looks after one consumer: drainer and swapper decide what is to be done
instance     the handle that an application has of all that
http_api     the three verbs over HTTP, as a function of a request; http_server and asgi_app serve it

kafka_python and aiokafka have each client's way to the brokers and its seat in the group. Only they import one.
"""
