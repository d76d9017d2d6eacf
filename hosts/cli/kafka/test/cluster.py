# SPDX-License-Identifier: Apache-2.0
"""A broker of its own for the tests of the program: on loopback, with one plain listener and one with SASL over TLS."""

import json
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import ports

HERE = pathlib.Path(__file__).resolve().parent
STARTED_WITHIN_S = 120
ATTEMPTS = 5

# Only who is named may do anything on the second listener; the first is the tests' own.
USERS = {"admin": 'adm"in', "nobody": "nothing"}
SCRAM_USER = ("operator", "op-er-ator")

PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule"


def missing(jars: pathlib.Path) -> str | None:
    """Why no broker can be started here, or None."""
    if not all(list(jars.glob(f"{name}-*.jar")) for name in ("kafka_2.13", "log4j-api", "jackson-databind")):
        return f"no Kafka jars in {jars} (mvn -f hosts/jvm package puts them there)"
    for program in ("java", "javac", "openssl"):
        if shutil.which(program) is None:
            return f"no {program} on the path"
    return None


class PortTaken(Exception):
    """Somebody had one of its ports before the broker did."""


class Cluster:
    """Commands go to Cluster.java, line by line. heap: options of its Java."""

    def __init__(
        self,
        jars: pathlib.Path,
        folder: pathlib.Path,
        choose: Callable[[int], list[int]] = ports.choose,
        heap: tuple[str, ...] = ("-Xmx512m",),
    ) -> None:
        self.folder = folder
        self.heap = heap
        self.authority = make_certificate(folder)
        for attempt in range(1, ATTEMPTS + 1):
            self.ports = choose(3)
            try:
                self.launch(jars, folder / f"attempt-{attempt}")
                return
            except PortTaken:
                if attempt == ATTEMPTS:
                    raise

    def launch(self, jars: pathlib.Path, folder: pathlib.Path) -> None:
        """Starts it in a new folder; returns when it listens."""
        folder.mkdir()
        self.log_path = folder / "broker.log"
        self.log = self.log_path.open("w", encoding="utf-8")
        properties = folder / "server.properties"
        properties.write_text("".join(f"{k}={v}\n" for k, v in self.config().items()), encoding="utf-8")
        quiet = [
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            *self.heap,
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
        ]
        command = ["java", *quiet, "-cp", f"{jars}/*", str(HERE / "Cluster.java"), str(properties)]
        self.process = subprocess.Popen(
            [*command, str(folder / "data")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        try:
            self.ask("start")
        except BaseException as fault:
            self.close()
            # Of its controller's port Kafka tells nobody but its log.
            if "Address already in use" in self.log_path.read_text(encoding="utf-8"):
                raise PortTaken(f"ports {self.ports}") from fault
            raise

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def plain(self) -> str:
        """The address where everybody may do everything."""
        return f"127.0.0.1:{self.ports[0]}"

    @property
    def secure(self) -> str:
        """The address with SASL over TLS and rights."""
        return f"127.0.0.1:{self.ports[1]}"

    def config(self) -> dict[str, str]:
        """Of the broker and its controller."""
        plain, secure, controller = (f"127.0.0.1:{port}" for port in self.ports)
        logins = " ".join(f'user_{name}="{escaped(word)}"' for name, word in USERS.items())
        jaas = f"{PLAIN_MODULE} required {logins};"
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@{controller}",
            "listeners": f"PLAINTEXT://{plain},SASL_SSL://{secure},CONTROLLER://{controller}",
            "advertised.listeners": f"PLAINTEXT://{plain},SASL_SSL://{secure}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{SCRAM_MODULE} required;",
            "listener.name.sasl_ssl.plain.sasl.jaas.config": jaas.replace("\\", "\\\\"),
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.folder / "broker.pem"),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:ANONYMOUS;User:admin;User:{SCRAM_USER[0]}",
            "auto.create.topics.enable": "false",
            "offsets.topic.num.partitions": "2",
            "offsets.topic.replication.factor": "1",
            "group.initial.rebalance.delay.ms": "0",
            "group.min.session.timeout.ms": "1000",
            # There is no other broker: should this one's heartbeats come late, its partitions would lose their leader.
            "broker.session.timeout.ms": "600000",
            # A busy machine takes its time: before it has registered, and over what its clients ask it to write.
            "initial.broker.registration.timeout.ms": "600000",
            "offsets.commit.timeout.ms": "300000",
            "transaction.state.log.replication.factor": "1",
            "share.coordinator.state.topic.replication.factor": "1",
        }

    def ask(self, what: str, **more: Any) -> Any:
        """The answer to one command; raises what the broker refused."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the broker ended: {self.log_path.read_text(encoding='utf-8')[-2000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self) -> None:
        """Ends the broker."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(STARTED_WITHIN_S)
        self.process.stdout.close()
        self.log.close()


def escaped(word: str) -> str:
    """As the login configuration wants it between double quotes."""
    return word.replace("\\", "\\\\").replace('"', '\\"')


def make_certificate(folder: pathlib.Path) -> pathlib.Path:
    """Writes the broker's key store and returns the authority that a client has to trust."""
    authority = folder / "authority.pem"
    key = folder / "key.pem"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=segue -addext subjectAltName=IP:127.0.0.1"
        f" -keyout {key.name} -out {authority.name}".split(),
        cwd=folder,
        check=True,
        capture_output=True,
    )
    (folder / "broker.pem").write_text(key.read_text(encoding="utf-8") + authority.read_text(encoding="utf-8"))
    return authority
