# SPDX-License-Identifier: Apache-2.0
"""The parts of `segue.faust`. Those above the line know nothing of Faust.

wire        what a worker adds to Faust's JSON when it joins, and the leader to its answers
topics      topics that are read together, as tasks
workers     a worker as the leader sees it, and which of the claims are true
groups      workers and tasks as groups for libsegue, and its plans as assignments
fallback    the answer when libsegue has none
probation   what workers without segue would say of their copies
trigger     when to ask for a rebalance
settings    options, from the class and from the environment
----------
tables      which tables there are, and where their state is
copies      how far this worker's copies of state are
watch       looks at the copies, and asks for the rebalance that hands them over
seat        the worker as a drain sees it
flow, flush, fetches    what Faust does to copies, changelogs and the time of a hand-over, mended
"""
