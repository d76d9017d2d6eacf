# SPDX-License-Identifier: Apache-2.0
"""A small judge of plans: reads group documents, runs the program, says what a plan breaks. Standard library only."""
