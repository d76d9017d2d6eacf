#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials, what is pinned, and the page about trust. Usage: supply.py BUILD

Needs the package spdx-tools, which judges the bill. The last line is 'N passed, N failed'.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Any, ClassVar

import tomllib
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path()
SBOM = str(ROOT / "packaging/sbom")
# Where code reads the environment: a call, or a name of ours that is handed on as a constant.
READS = re.compile(r'getenv\("([A-Z_]+)"|environ(?:\.get)?[\[(]"([A-Z_]+)"|"(SEGUE_[A-Z][A-Z_]+)"')
SOURCES = [
    "hosts/**/*.c",
    "hosts/**/*.h",
    "plugin/**/*.[ch]",
    "hosts/python/src/**/*.py",
    "hosts/jvm/*/src/main/**/*.java",
]


def bill(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", SBOM, "--build", BUILD],
        check=True,
        capture_output=True,
        env={**os.environ, **environment},
    )
    return done.stdout.decode()


class BillOfMaterials(unittest.TestCase):
    text = ""
    said: ClassVar[dict[str, Any]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.text = bill()
        cls.said = json.loads(cls.text)

    def faults(self, text: str) -> list[str]:
        with tempfile.NamedTemporaryFile("w", suffix=".spdx.json") as file:
            file.write(text)
            file.flush()
            return [
                fault.validation_message for fault in validate_full_spdx_document(parse_file(file.name), "SPDX-2.3")
            ]

    def packages(self) -> dict[str, Any]:
        return {row["name"]: row for row in self.said["packages"]}

    def test_it_is_spdx(self) -> None:
        self.assertEqual(self.faults(self.text), [])

    def test_the_judge_finds_a_relation_to_nothing(self) -> None:
        self.assertNotEqual(
            self.faults(self.text.replace('"SPDXID": "SPDXRef-package-jansson"', '"SPDXID": "SPDXRef-x"')), []
        )

    def test_files_have_the_sums_that_they_have(self) -> None:
        names = {row["fileName"] for row in self.said["files"]}
        self.assertLessEqual({"./segue-assignors.so", "./libsegue.so.1", "./segue"}, names)
        for name in ("libsegue_jni.so", "interpose/segue-interpose.so"):
            self.assertEqual((BUILD / name).exists(), f"./{name}" in names, name)
        for row in self.said["files"]:
            sums = {sum_["algorithm"]: sum_["checksumValue"] for sum_ in row["checksums"]}
            self.assertEqual(sums["SHA256"], hashlib.sha256((BUILD / row["fileName"]).read_bytes()).hexdigest())

    def test_what_the_plugin_and_libsegue_are_linked_with_is_in_it(self) -> None:
        self.assertLessEqual(
            {"segue", "jansson", "org.apache.kafka:kafka-streams", "pypi:aiokafka"}, set(self.packages())
        )
        known = {"libjansson": "jansson", "librdkafka": "rdkafka", "libffi": "libffi", "libcurl": "libcurl"}
        system = {"libc", "libm", "libpthread", "libdl", "libgcc_s", "ld-linux-x86-64", "ld-linux-aarch64", "libsegue"}
        for file in self.said["files"]:
            path = BUILD / file["fileName"]
            needed = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
            libraries = set(re.findall(r"\(NEEDED\).*\[([\w-]+)\.so", needed)) - system
            self.assertEqual({known[library] for library in libraries}, self.linked(file, "DYNAMIC_LINK"), path)

    def linked(self, file: dict[str, Any], kind: str) -> set[str]:
        names = {row["SPDXID"]: row["name"] for row in self.said["packages"]}
        return {
            names[row["relatedSpdxElement"]]
            for row in self.said["relationships"]
            if row["spdxElementId"] == file["SPDXID"] and row["relationshipType"] == kind
        }

    def test_what_the_page_of_reports_is_made_of_is_in_it(self) -> None:
        page = (ROOT / "hosts/report/page.html").read_text(encoding="utf-8")
        found = re.search(r"Charts: uPlot ([\d.]+)", page)
        assert found, "the page names no uPlot"
        self.assertEqual(self.packages()["npm:uplot"]["versionInfo"], found[1])
        program = next(file for file in self.said["files"] if file["fileName"] == "./segue")
        self.assertIn("npm:uplot", self.linked(program, "STATIC_LINK"))

    def test_jemalloc_is_the_archive_that_was_looked_at(self) -> None:
        known = dict(
            re.findall(r"\[(jemalloc_\S+)\]=(\w{64})", (ROOT / "packaging/jemalloc").read_text(encoding="utf-8"))
        )
        row = self.packages().get("jemalloc")
        if row is None or row["packageFileName"] not in known:
            self.skipTest("built without jemalloc, or with another version")
        self.assertEqual(row["checksums"][0]["checksumValue"], known[row["packageFileName"]])

    def test_it_is_the_same_at_any_time(self) -> None:
        self.assertEqual(bill(SOURCE_DATE_EPOCH="0"), bill(SOURCE_DATE_EPOCH="0"))


class Pinned(unittest.TestCase):
    def test_every_version_of_maven_is_a_single_one(self) -> None:
        rows = [
            row for row in json.loads(bill())["packages"] if ":" in row["name"] and not row["name"].startswith("pypi")
        ]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertRegex(row["versionInfo"], r"^\d[\w.-]*$", row["name"])
        for pom in (ROOT / "hosts/jvm").rglob("pom.xml"):
            self.assertNotRegex(pom.read_text(encoding="utf-8"), r"<version>\s*(?:[\[(]|LATEST|RELEASE)", str(pom))

    def test_every_python_package_has_a_version_and_hashes(self) -> None:
        for file, least in (("requirements.txt", 20), ("wheel.txt", 5)):
            text = (ROOT / "packaging" / file).read_text(encoding="utf-8")
            rows = [row for row in re.split(r"\n(?=[a-zA-Z])", text) if not row.startswith("#")]
            self.assertGreater(len(rows), least)
            for row in rows:
                self.assertRegex(row, r"^[\w.-]+==\S+.*(?:\\\n.*)*--hash=sha256:\w{64}", row.splitlines()[0])

    def test_what_makes_a_wheel_is_pinned(self) -> None:
        pinned = (ROOT / "packaging/wheel.txt").read_text(encoding="utf-8")
        wanted = (ROOT / "packaging/wheel.in").read_text(encoding="utf-8").splitlines()
        system = tomllib.loads((ROOT / "hosts/python/pyproject.toml").read_text(encoding="utf-8"))["build-system"]
        for row in [*system["requires"], *wanted]:
            if not row.startswith("#"):
                name = re.split(r"[<>=~]", row)[0]
                self.assertRegex(pinned, rf"(?m)^{re.escape(name)}==", "run packaging/pin")

    def test_all_that_the_tests_ask_for_is_pinned(self) -> None:
        text = (ROOT / "packaging/requirements.txt").read_text(encoding="utf-8")
        pinned = {name.lower() for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
        project = tomllib.loads((ROOT / "hosts/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
        wanted = [name for rows in project["optional-dependencies"].values() for name in rows if "[" not in name]
        wanted += (ROOT / "packaging/requirements.in").read_text(encoding="utf-8").splitlines()
        names = {re.split(r"[<>=~]", row)[0].lower() for row in wanted if not row.startswith("#")}
        self.assertLessEqual(names, pinned, "run packaging/pin")


class Trust(unittest.TestCase):
    def test_every_variable_that_is_read_is_on_the_page_and_no_other(self) -> None:
        page = (ROOT / "packaging/SECURITY.md").read_text(encoding="utf-8")
        section = page.split("## Environment", 1)[1].split("\n## ", 1)[0]
        listed = set(re.findall(r"^\| `([A-Z_]+)` \|", section, re.MULTILINE))
        read: set[str] = set()
        for pattern in SOURCES:
            for path in ROOT.glob(pattern):
                if "_test." not in path.name and "test" not in path.parent.name:
                    text = path.read_text(encoding="utf-8", errors="replace")
                    read |= {name for found in READS.findall(text) for name in found if name}
        self.assertEqual(read, listed)

    def test_libsegue_reads_the_environment_as_setuid_programs_need_it(self) -> None:
        for path in (ROOT / "hosts/c").glob("*.c"):
            if not path.name.endswith("_test.c"):
                self.assertNotRegex(path.read_text(encoding="utf-8"), r"(?<!secure_)getenv\(", path.name)


def main(build: str) -> int:
    global BUILD
    BUILD = pathlib.Path(build).resolve()
    result = unittest.TextTestRunner(verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    )
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad - len(result.skipped)} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
