# SPDX-License-Identifier: Apache-2.0
"""The logger of everything here."""

import logging

log = logging.getLogger("segue")
