# SPDX-License-Identifier: Apache-2.0
"""What the assignors of all Python clients share. A client's own module only maps its types to these.

user_data   what a member says when it joins, and what the leader answers beside the partitions
members     a member as the leader sees it
groups      members and partitions as groups for libsegue
fallback    the answer when libsegue has none
planner     from members to assignments, without an exception
granted     what of these may be given in this round
rejoin      how the leader asks for the next one
knock       how a member asks that owns something
beats       when the members with state send their heartbeats
caller      which consumer asks
assignor    the whole, as a client calls it

And for members with state, in the same order: copies (for user_data), holders (members and groups), keep (fallback),
stateful (assignor).
"""
