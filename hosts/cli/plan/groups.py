# SPDX-License-Identifier: Apache-2.0
"""The group that forecasts are made for."""

# Two members own three tasks each.
GROUP = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 6}],
    "members": [
        {"id": "old-1", "threads": 2, "active": ["0_0", "0_1", "0_2"]},
        {"id": "old-2", "threads": 2, "active": ["0_3", "0_4", "0_5"]},
    ],
}
