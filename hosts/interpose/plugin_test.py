#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugin that stands for another one: nobody notices it, but for what it is told to do.

plugin_test.py SEGUE INTERPOSE PLUGIN
"""

import ctypes
import errno
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable

SEGUE = INTERPOSE = PLUGIN = pathlib.Path()
GROUP = {
    "segue": "group/1",
    "config": {"segue.max.compute.ms": 1000},
    "subtopologies": [{"id": 0, "partitions": 4}],
    "members": [{"id": "a", "active": ["0_0", "0_1", "0_2", "0_3"]}, {"id": "b"}],
}


# prctl(2) and seccomp(2), in the numbers of x86-64.
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_SET_MDWE = 22, 38, 65
SECCOMP_MODE_FILTER, MDWE_REFUSE_EXEC_GAIN = 2, 1
MMAP, MPROTECT, PKEY_MPROTECT, PROT_EXEC, MAP_DENYWRITE = 9, 10, 329, 4, 0x800
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, PROTECTION, FLAGS = 0, 32, 40
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES

# A program for the kernel: (what, value, lines to skip if it holds, if not). The linker maps libraries with
# MAP_DENYWRITE, and nobody else does: so they come in, and nothing else that may be executed.
NO_EXECUTABLE_MEMORY = (
    (LOAD, NUMBER, 0, 0),
    (EQUAL, MMAP, 4, 0),
    (EQUAL, MPROTECT, 1, 0),
    (EQUAL, PKEY_MPROTECT, 0, 6),
    (LOAD, PROTECTION, 0, 0),
    (ANY_BIT, PROT_EXEC, 5, 4),
    (LOAD, PROTECTION, 0, 0),
    (ANY_BIT, PROT_EXEC, 0, 2),
    (LOAD, FLAGS, 0, 0),
    (ANY_BIT, MAP_DENYWRITE, 0, 1),
    (RETURN, ALLOW, 0, 0),
    (RETURN, REFUSE, 0, 0),
)


class Line(ctypes.Structure):
    _fields_ = (
        ("what", ctypes.c_uint16),
        ("held", ctypes.c_uint8),
        ("else_", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class Program(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint16), ("lines", ctypes.POINTER(Line)))


def control(*words: object) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(*words) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def forbid_executable_memory() -> None:
    """For this process and all that it becomes."""
    lines = (Line * len(NO_EXECUTABLE_MEMORY))(
        *(Line(what, held, other, value) for what, value, held, other in NO_EXECUTABLE_MEMORY)
    )
    control(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    control(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Program(len(lines), lines)))


def forbid_writing_what_is_executed() -> None:
    control(PR_SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)


def has_mdwe() -> bool:
    """Linux 6.3 and later."""
    return bool(ctypes.CDLL(None).prctl(PR_SET_MDWE + 1, 0, 0, 0, 0) >= 0)


def run(
    *arguments: str | pathlib.Path, text: str = "", first: Callable[[], None] | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SEGUE_")}
    environment |= {"SEGUE_INTERPOSE": str(PLUGIN.resolve())} | {
        f"SEGUE_{name}": value for name, value in variables.items()
    }
    return subprocess.run(
        [SEGUE, *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env=environment,
        preexec_fn=first,
    )


def assign(
    groups: int = 1, first: Callable[[], None] | None = None, /, **variables: str
) -> subprocess.CompletedProcess[str]:
    lines = f"{json.dumps(GROUP)}\n" * groups
    return run(
        "assign", "--plugin", INTERPOSE, "--assignor", "learner", "--batch", text=lines, first=first, **variables
    )


def followups(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [json.loads(line)["followup"]["reason"] for line in done.stdout.splitlines()]


class Interposer(unittest.TestCase):
    def test_it_holds_every_rule_that_the_other_plugin_holds(self) -> None:
        done = run("check", "--json", "--groups", "40", "--timeout", "300", INTERPOSE)
        broken = [rule for rule in json.loads(done.stdout)["rules"] if rule["outcome"] == "broken"]
        self.assertEqual((broken, done.returncode), ([], 0))

    def test_each_call_is_a_line_with_its_slot_result_and_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "calls.jsonl")
            self.assertEqual(assign(2, INTERPOSE_TRACE=str(trace)).returncode, 0)
            calls = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
        slots = [call["slot"] for call in calls]
        self.assertEqual(slots.count("assign"), 2)
        self.assertLess(slots.index("create"), slots.index("assign"))
        self.assertLess(slots.index("assign"), slots.index("destroy"))
        plans = [call for call in calls if call["slot"] == "assign"]
        self.assertEqual(
            [(call["call"], call["result"], len(call["arguments"])) for call in plans], [(1, 0, 5), (2, 0, 5)]
        )
        self.assertTrue(all(call["ns"] > 0 for call in calls))

    def test_faults_come_at_the_calls_that_are_named(self) -> None:
        done = assign(4, INTERPOSE_FAULTS="assign#2=internal,assign#3=bad-plan,assign#4=delay:1")
        self.assertEqual(
            followups(done), ["learners-restoring", "fallback", "fallback", "learners-restoring"], done.stderr
        )

    def test_a_crash_is_a_childs_and_the_host_goes_on(self) -> None:
        done = assign(3, INTERPOSE_FAULTS="assign#2=crash")
        self.assertEqual(
            (done.returncode, followups(done)), (0, ["learners-restoring", "fallback", "learners-restoring"])
        )
        self.assertIn("the child of this call was ended by signal 6 (Aborted)", done.stderr)

    def test_an_abort_ends_the_process_that_asks(self) -> None:
        self.assertEqual(assign(INTERPOSE_FAULTS="assign=abort").returncode, -signal.SIGABRT)

    def test_an_isolated_plugin_aborts_or_hangs_and_the_host_goes_on(self) -> None:
        """Each process counts for itself, so that the one that follows answers its first call."""
        for fault, said in ("abort", "its process was ended by signal 6 (Aborted)"), ("hang", "its process was killed"):
            with tempfile.TemporaryDirectory() as folder, self.subTest(fault=fault):
                trace = pathlib.Path(folder, "calls.jsonl")
                done = assign(3, ISOLATION="process", INTERPOSE_TRACE=str(trace), INTERPOSE_FAULTS=f"assign#2={fault}")
                calls = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
                reasons = followups(done)
                self.assertEqual(reasons, ["learners-restoring", "fallback", "learners-restoring"], done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual([call["call"] for call in calls if call["slot"] == "assign"], [1, 1])

    def test_what_is_recorded_can_be_replayed(self) -> None:
        """Each plan as the plugin gave it; in the place of none the safe one."""
        with tempfile.TemporaryDirectory() as folder:
            record = str(pathlib.Path(folder, "plans.rec"))
            faults = "assign#2=bad-plan,assign#3=internal,assign#4=crash"
            self.assertEqual(assign(5, INTERPOSE_RECORD=record, INTERPOSE_FAULTS=faults).returncode, 0)
            again = run("replay", "--json", record)
            steps = [json.loads(line) for line in again.stdout.splitlines()]
            group = json.loads(run("replay", "--group", "--step", "1", record).stdout)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual([step["fallback"] for step in steps], [False, True, True, True, False])
        self.assertEqual([step["same"] for step in steps], [True, False, False, False, True])
        self.assertEqual({step["recorded"] for step in steps}, {"learner"})
        self.assertEqual([member["id"] for member in group["members"]], ["a", "b"])

    def test_a_prober_with_a_record_neither_harms_nor_is_harmed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            record = str(pathlib.Path(folder, "plans.rec"))
            arguments = ["--groups", "10", "--only", "C22", "--only", "C17", "--only", "C19", "--only", "R1"]
            done = run("check", "--json", *arguments, INTERPOSE, INTERPOSE_RECORD=record)
            again = run("replay", "--json", record)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertGreater(len(again.stdout.splitlines()), 50)

    @unittest.skipUnless(platform.machine() == "x86_64", "the filter is written for x86-64")
    def test_without_executable_memory_the_plugin_works_and_it_is_said_once(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "calls.jsonl")
            done = assign(2, forbid_executable_memory, INTERPOSE_TRACE=str(trace), INTERPOSE_FAULTS="assign=internal")
            self.assertEqual(trace.read_text(encoding="utf-8"), "")
        self.assertEqual((done.returncode, followups(done)), (0, ["learners-restoring"] * 2), done.stderr)
        self.assertRegex(done.stderr, r"\A.*no memory that may be executed.* is asked directly[^\n]*\n\Z")

    @unittest.skipUnless(has_mdwe(), "the kernel has no PR_SET_MDWE")
    def test_under_memory_deny_write_execute_it_wraps_or_says_that_it_does_not(self) -> None:
        """libffi from 3.4 on has its trampolines in a file, which that allows; an older one has not."""
        done = assign(2, forbid_writing_what_is_executed, INTERPOSE_FAULTS="assign#2=internal")
        wrapped = ["learners-restoring", "fallback"]
        said = "no memory that may be executed" in done.stderr
        self.assertEqual((done.returncode, followups(done)), (0, ["learners-restoring"] * 2 if said else wrapped))

    def test_a_trace_that_nobody_reads_is_not_waited_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder, "pipe")
            os.mkfifo(pipe)
            done = assign(INTERPOSE_TRACE=str(pipe))
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("cannot be written to", done.stderr)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            done = assign(1000, INTERPOSE_TRACE=str(pipe))
            self.assertEqual((done.returncode, len(followups(done))), (0, 1000), done.stderr)
            self.assertIn(b'{"slot":"describe"', os.read(reader, 4096))
            os.close(reader)

    def test_a_wrong_fault_and_a_missing_plugin_are_said_and_refused(self) -> None:
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        pipe, written = folder / "pipe.so", folder / "open.so"
        os.mkfifo(pipe)
        written.write_bytes(PLUGIN.read_bytes())
        written.chmod(0o666)
        for variables, words in (
            ({"INTERPOSE_FAULTS": "assign=nonsense"}, '"assign=nonsense" is no fault'),
            ({"INTERPOSE_FAULTS": "asign=internal"}, "the plugin has no slot asign"),
            ({"INTERPOSE": ""}, "SEGUE_INTERPOSE has to name the plugin"),
            ({"INTERPOSE": "/no/such/file.so"}, "/no/such/file.so"),
            ({"INTERPOSE": "segue-assignors.so"}, "a path is needed"),
            ({"INTERPOSE": str(pipe)}, "no regular file"),
            ({"INTERPOSE": str(written)}, "everybody may write to it"),
            ({"INTERPOSE": str(INTERPOSE)}, "SEGUE_INTERPOSE names the interposer itself"),
            ({"INTERPOSE_TRACE": "/no/such/folder/file"}, "cannot be written to"),
            ({"INTERPOSE_RECORD": "/no/such/folder/file"}, "the file to record plans in, cannot be opened"),
        ):
            done = assign(**variables)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("segue: ", done.stderr)


if __name__ == "__main__":
    PLUGIN, INTERPOSE, SEGUE = (pathlib.Path(sys.argv.pop()) for _ in range(3))
    unittest.main()
