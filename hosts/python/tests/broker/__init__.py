# SPDX-License-Identifier: Apache-2.0
"""Consumers in processes of their own against a real broker: `pytest tests/broker --jars FOLDER_OF_KAFKA_JARS`."""
