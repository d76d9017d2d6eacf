# SPDX-License-Identifier: Apache-2.0
"""The commands list and assign of the program `segue`, word for word, for those who have only the package.

options   what stands behind a command's name
complain  one line on standard error, and the exit status for a fault
plan      a group document in, a printed plan out
assign    the command assign
listing   the command list
elsewhere the commands that only the native program has
"""
