# SPDX-License-Identifier: Apache-2.0
"""How changelogs are read back beside partitions that are served."""

import gc

import pytest

from segue._aiokafka.replay import SERVING_SLICE
from segue._kafka_python.replayer import CONFIG

# A record is a tuple, and has a tuple or list of headers.
OBJECTS = 2


@pytest.mark.parametrize("records", [SERVING_SLICE, CONFIG["max_poll_records"]], ids=["aiokafka", "kafka-python"])
def test_a_batch_of_the_changelog_is_forgotten_before_it_is_collected(records: int) -> None:
    """What is still in use then counts as long-lived, and a quarter more of that makes Python go through all it has."""
    assert records * OBJECTS < gc.get_threshold()[0]
