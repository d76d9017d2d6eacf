# SPDX-License-Identifier: Apache-2.0
"""Draining and swapping without a broker."""
