# SPDX-License-Identifier: Apache-2.0
"""What segue.kafka_python is made of.

consumer    StatefulConsumer
assignor    what kafka-python calls at a rebalance of stateful consumers
changelog   the producer that writes it
replayer    the thread that reads it
"""
