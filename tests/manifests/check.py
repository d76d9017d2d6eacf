#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example manifests for Kubernetes: against its schemas, and against what no schema knows.

check.py --segue PROGRAM     needs the package kubernetes-validate, which brings the schemas of all releases
The last line is 'N passed, N failed'.
"""

import argparse
import copy
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

# It ships no types.
from kubernetes_validate import utils as kubernetes  # type: ignore[import-untyped]

MANIFESTS = pathlib.Path(__file__).resolve().parents[2] / "hosts/jvm/segue-kafka-streams/kubernetes"
# The oldest release that has all that is used here, among those the package brings, and the newest.
RELEASES = ["1.25", kubernetes.latest_version()]
ELSEWHERE = "/nowhere/client.properties"
# The name of the volume that an application keeps its state on.
STATE = "state"

Resource = dict[str, Any]


def faults(resource: Resource) -> Iterator[str]:
    """What Kubernetes would refuse, misspelt keys included."""
    for release in RELEASES:
        try:
            kubernetes.validate(resource, release, strict=True)
        except kubernetes.ValidationError as fault:
            yield f"release {release}: {'.'.join(map(str, fault.path))}: {fault.message}"
        except kubernetes.SchemaNotFoundError as fault:
            yield fault.message


def misspelt(resource: Resource) -> Resource:
    """The same with one key that Kubernetes does not know."""
    copied = copy.deepcopy(resource)
    copied["metadata"]["lables"] = {}
    return copied


def too_hasty(resource: Resource) -> Iterator[str]:
    """A hook whose drain may last longer than the pod is given."""
    pod = resource.get("spec", {}).get("template", {}).get("spec", {})
    for container in pod.get("containers", []):
        hook = container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [])
        for timeout in re.findall(r'"timeout_ms":(\d+)', " ".join(hook)):
            grace = pod.get("terminationGracePeriodSeconds", 30)
            if int(timeout) >= grace * 1000:
                yield f"the drain may take {timeout} ms, and the pod is killed after {grace} s"


def refused(segue: str, resource: Resource) -> Iterator[str]:
    """A command of the program's that it does not understand."""
    for container in resource.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
        command = container.get("command", [])
        if command[:1] != ["segue"]:
            continue
        # The file is read after the command line is understood: that it is missed says that all the rest is right.
        words = [segue] + [re.sub("(--command-config=).*", rf"\1{ELSEWHERE}", word) for word in command[1:]]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        if ELSEWHERE not in done.stderr:
            yield f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}"


def configured(resources: list[Resource], key: str) -> set[str]:
    """The values that an application's properties in these manifests give to a key."""
    texts = [text for resource in resources for text in (resource.get("data") or {}).values()]
    return {value.strip() for text in texts for value in re.findall(rf"^{re.escape(key)}=(.*)$", text, re.MULTILINE)}


def state_lost(resource: Resource, resources: list[Resource]) -> Iterator[str]:
    """A volume for the state that Kafka Streams does not write to: it would lose state and process id with the pod."""
    containers = resource.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])
    mounts = {
        mount["mountPath"]
        for container in containers
        for mount in container.get("volumeMounts", [])
        if mount["name"] == STATE
    }
    if mounts and configured(resources, "state.dir") != mounts:
        yield f"the state's volume is at {sorted(mounts)}, state.dir is {sorted(configured(resources, 'state.dir'))}"
    if not mounts and resource["kind"] in ("Deployment", "StatefulSet"):
        yield f"no volume '{STATE}' is mounted"


def checks(segue: str) -> Iterator[tuple[str, list[str]]]:
    """What is checked, and what is wrong with it."""
    for path in sorted(MANIFESTS.glob("*.yaml")):
        resources = list(kubernetes.resources_from_file(str(path)))
        for resource in resources:
            name = f"{path.name}: {resource['kind']}"
            yield f"{name}: schema", list(faults(resource))
            yield f"{name}: can be refused", [] if list(faults(misspelt(resource))) else ["a misspelt key passes"]
            yield f"{name}: grace period", list(too_hasty(resource))
            yield f"{name}: command", list(refused(segue, resource))
            yield f"{name}: state directory", list(state_lost(resource, resources))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True)
    failed = passed = 0
    for name, wrong in checks(parser.parse_args().segue):
        passed += not wrong
        failed += bool(wrong)
        for fault in wrong:
            print(f"FAIL {name}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
