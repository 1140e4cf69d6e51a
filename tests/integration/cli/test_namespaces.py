"""Real addresses: a server and its clients in network namespaces that this test makes, on one bridge."""
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest

ENTERED = "LOCKSTEP_IN_NAMESPACE"


def missing():
    """Says why this machine cannot run the test; empty if it can."""
    for program in ("ip", "nsenter", "unshare"):
        if not shutil.which(program):
            return f"{program} is missing (packages iproute2 and util-linux)"
    probe = "ip link add probe type bridge && ip link add one type veth peer name two && ip addr add fd07::1/64 dev one"
    done = subprocess.run(["unshare", "-rnm", "sh", "-c", probe], capture_output=True, text=True, check=False)
    return f"no network namespace with a bridge and IPv6: {done.stderr.strip()}" if done.returncode else ""


MISSING = "" if ENTERED in os.environ else missing()
if __name__ == "__main__" and not MISSING and ENTERED not in os.environ:
    os.environ[ENTERED] = "1"
    os.execvp("unshare", ["unshare", "-rnm", sys.executable, "-B", *sys.argv])

from case import BINARY, GOOD, MACHINE, REFUSED, TIMEOUT_S, Case, Server, main  # pylint: disable=wrong-import-position

IPV6_FREEBIND = 78
SILENCE_S = 3  # after it no more answers come, also on a busy machine
SERVER4, SERVER6, SERVER_LINK = "10.7.0.1", "fd07::1", "fe80::1"


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


def wide(address):
    """With a prefix that is short, so that all hosts reach each other without a router."""
    return f"{address}/{8 if '.' in address else 64 if address.startswith('fe80') else 32}"


class Host:
    """A machine: a namespace of its own, and eth0 in it on the bridge."""

    count = 0

    def __init__(self, *addresses):
        Host.count += 1
        outer = f"host{Host.count}"
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        while os.stat(f"/proc/{self.holder.pid}/ns/net").st_ino == os.stat("/proc/self/ns/net").st_ino:
            time.sleep(0.001)
        run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", outer, "master", "bridge", "up")
        self.ip("link", "set", "lo", "up")
        self.ip("link", "set", "eth0", "addrgenmode", "none", "up")
        for address in addresses:
            self.add(address)

    def words(self, *words):
        return ("nsenter", "-t", str(self.holder.pid), "-n", *words)

    def ip(self, *words):
        run(*self.words("ip", *words))

    def add(self, address):
        self.ip("addr", "add", wide(address), "dev", "eth0", *(() if "." in address else ("nodad",)))

    def change(self, former, address):
        """What a router or a phone does in the middle of a session: sockets send from another address."""
        self.ip("addr", "del", wide(former), "dev", "eth0")
        self.add(address)

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Pod:
    """A server with its sidecar, in a host of their own: both pods of a test use the same ports."""

    def __init__(self, case, address, sidecar_port=9358, game_port=7777):
        self.host, self.changes = case.host(address), []
        stub = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agones_stub.py")
        self.sidecar = subprocess.Popen(
            self.host.words(sys.executable, "-B", stub, str(sidecar_port), address, str(game_port)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        case.addCleanup(self.end_sidecar)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        folder = case.path(address)
        os.mkdir(folder)
        self.server = Server(folder, "--bind", address, "--port", str(game_port), "--rooms", "0", "--rooms-max", "2",
                             "--tick-rate", "50", launcher=self.host.words("env", f"AGONES_SDK_HTTP_PORT={sidecar_port}"))
        case.servers.append(self.server)

    def read(self):
        for line in self.sidecar.stdout:
            self.changes.append(json.loads(line)["result"])

    def end_sidecar(self):
        self.sidecar.stdin.close()
        self.sidecar.wait()
        self.reader.join()
        self.sidecar.stdout.close()

    def allocate(self, **annotations):
        self.sidecar.stdin.write(json.dumps({f"lockstep.dev/{name}": text for name, text in annotations.items()}) + "\n")
        self.sidecar.stdin.flush()

    def state(self):
        """The newest (state, names of rooms, address as an annotation)."""
        if not self.changes:
            return "", [], ""
        one = self.changes[-1]
        return (one["status"]["state"], one["status"]["lists"]["rooms"]["values"],
                one["object_meta"]["annotations"].get("agones.dev/sdk-lockstep-address", ""))


class Translator(threading.Thread):
    """A router that carries a client's datagrams from a socket of its own choice, of either family."""

    def __init__(self, inner, server4, server6):
        super().__init__(daemon=True)
        self.inner = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.inner.bind((inner, 0))
        self.port, self.client = self.inner.getsockname()[1], None
        self.places = {socket.AF_INET: server4, socket.AF_INET6: server6}
        self.outer, self.is_over = None, False
        self.move(socket.AF_INET)
        self.start()

    def move(self, family):
        """Another port, and perhaps another family. The former socket is closed, as a router forgets it."""
        former, made = self.outer, socket.socket(family, socket.SOCK_DGRAM)
        made.connect(self.places[family])
        self.outer = made
        if former:
            former.close()

    def run(self):
        while not self.is_over:
            outer = self.outer
            try:
                for ready in select.select([self.inner, outer], [], [], 0.02)[0]:
                    if ready is self.inner:
                        data, self.client = self.inner.recvfrom(2048)
                        self.outer.send(data)
                    elif self.client:
                        self.inner.sendto(outer.recv(2048), self.client)
            except (OSError, ValueError):
                continue  # the socket was closed by a move

    def close(self):
        self.is_over = True
        self.join()
        self.inner.close()
        self.outer.close()


@unittest.skipIf(MISSING, MISSING)
class Namespaces(Case):
    @classmethod
    def setUpClass(cls):
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge", "type", "bridge")
        run("ip", "link", "set", "bridge", "up")
        run("ip", "link", "add", "inside", "type", "veth", "peer", "name", "port")
        run("ip", "link", "set", "port", "master", "bridge", "up")
        run("ip", "link", "set", "inside", "up")
        run("ip", "addr", "add", wide("10.7.255.1"), "dev", "inside")
        run("ip", "addr", "add", wide("fd07:0:ffff::1"), "dev", "inside", "nodad")

    def setUp(self):
        super().setUp()
        self.home = self.host(SERVER4, SERVER6, SERVER_LINK)

    def host(self, *addresses):
        host = Host(*addresses)
        self.addCleanup(host.close)
        return host

    def serve(self, *options, sim="skirmish", bind="::"):
        """A server in the first host; self.key is its key."""
        server = Server(self.folder, "--bind", bind, "--tick-rate", "50", *options, sim=sim, launcher=self.home.words())
        self.servers.append(server)
        self.key = server.address.split("#")[1]
        return server

    def ask(self, host, place, server, *options, sim=("--sim", "skirmish")):
        """A client in a host; `place` is the server's address there."""
        return subprocess.Popen(
            [*host.words(BINARY), "join", f"{place}:{server.port}#{self.key}", *sim, *options],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def wait_entry(self, server, name, address):
        server.wait_line(rf'^enter .* name="{name}" address={re.escape(address)}:\d+', server.log)

    def wait_move(self, server, name, address, count=1):
        """Waits for the move number `count` of the client to an address."""
        pattern = rf'^move .* name="{name}" address={re.escape(address)}:\d+'
        end = time.monotonic() + TIMEOUT_S
        while len([line for line in server.log if re.search(pattern, line)]) < count:
            self.assertLess(time.monotonic(), end, server.text())
            time.sleep(0.02)

    def expect_one_session(self, server, names):
        """No client lost its session, and no world differed."""
        for name in names:
            entered = [line for line in server.log if line.startswith("enter ") and f'name="{name}"' in line]
            self.assertEqual(len(entered), 1, server.text())
        self.assertFalse([line for line in server.log if line.startswith(("desync", "timeout", "resume"))], server.text())

    def finish(self, server, *clients):
        for client in clients:
            client.terminate()
            self.end(client, GOOD)
        self.assertEqual(server.stop(), GOOD)
        self.assertGreater(self.verified_ticks(self.recording()), 50)

    def test_namespaces_both_families_and_changes_of_address(self):
        server = self.serve("--wait", "2")
        four, six = self.host("10.7.0.2"), self.host("fd07:0:2::2")
        clients = [self.ask(four, SERVER4, server, "--name", "four"),
                   self.ask(six, f"[{SERVER6}]", server, "--name", "six")]
        self.wait_entry(server, "four", "10.7.0.2")
        self.wait_entry(server, "six", "[fd07:0:2::2]")
        server.wait_line(r"^tick \d\d", server.lines)
        four.change("10.7.0.2", "10.8.0.3")
        self.wait_move(server, "four", "10.8.0.3")
        six.change("fd07:0:2::2", "fd07:0:3:1::9")
        self.wait_move(server, "six", "[fd07:0:3:1::9]")
        four.change("10.8.0.3", "10.7.0.2")
        self.wait_move(server, "four", "10.7.0.2")
        six.change("fd07:0:3:1::9", "fd07:0:2::2")
        self.wait_move(server, "six", "[fd07:0:2::2]")
        self.finish(server, *clients)
        self.expect_one_session(server, ("four", "six"))

    def test_namespaces_a_router_changes_the_family_and_back(self):
        server = self.serve("--wait", "2")
        other, host = self.host("10.7.0.2"), self.host("10.7.0.3")
        router = Translator("10.7.255.1", (SERVER4, server.port), (SERVER6, server.port))
        self.addCleanup(router.close)
        clients = [self.ask(other, SERVER4, server, "--name", "other")]
        port, server.port = server.port, router.port
        clients.append(self.ask(host, "10.7.255.1", server, "--name", "routed"))
        server.port = port
        self.wait_entry(server, "routed", "10.7.255.1")
        for turn in (1, 2):
            time.sleep(1.1)  # LS_LINK_PATH_COOLDOWN_NS
            router.move(socket.AF_INET6)
            self.wait_move(server, "routed", "[fd07:0:ffff::1]", turn)
            time.sleep(1.1)
            router.move(socket.AF_INET)
            self.wait_move(server, "routed", "10.7.255.1", turn)
        self.finish(server, *clients)
        self.expect_one_session(server, ("other", "routed"))

    def test_namespaces_link_local_addresses_with_a_zone(self):
        for bind in ("::", f"{SERVER_LINK}%eth0"):
            server = self.serve("--wait", "1", bind=bind)
            client = self.host("fe80::2")
            out, _ = self.end(self.ask(client, f"[{SERVER_LINK}%eth0]", server, "--name", "near", "--ticks", "30"), GOOD)
            self.assertIn("its ticks are done", out)
            self.wait_entry(server, "near", "[fe80::2%2]")
            self.assertEqual(server.stop(), GOOD)

    def test_namespaces_connections_are_counted_by_64(self):
        server = self.serve("--wait", "1", "--players", "8", "--peers-per-address", "2")
        places = ("fd07:0:2:1::1", "fd07:0:2:1:ffff:ffff:ffff:ffff", "fd07:0:2:1::3", "fd07:0:2:2::1")
        hosts = [self.host(place) for place in places]
        clients = []
        for index in (0, 1):
            clients.append(self.ask(hosts[index], f"[{SERVER6}]", server, "--name", f"at{index}"))
            self.wait_entry(server, f"at{index}", f"[{places[index]}]")
        _, err = self.end(self.ask(hosts[2], f"[{SERVER6}]", server, "--name", "at2"), REFUSED)
        self.assertIn("address", err)
        clients.append(self.ask(hosts[3], f"[{SERVER6}]", server, "--name", "at3"))
        self.wait_entry(server, "at3", f"[{places[3]}]")
        self.finish(server, *clients)

    def name_server(self):
        """The name "both" has the server's addresses of both families; IPv6 is the resolver's first choice."""
        with open(self.path("hosts"), "w", encoding="ascii") as file:
            file.write(f"{SERVER4} both\n{SERVER6} both\n")
        run("mount", "--bind", self.path("hosts"), "/etc/hosts")
        self.addCleanup(run, "umount", "/etc/hosts")

    def test_namespaces_a_name_of_both_families(self):
        self.name_server()
        host = self.host("10.7.0.2", "fd07:0:2::2")
        for bind, place in ((SERVER4, "10.7.0.2"), (SERVER6, "[fd07:0:2::2]"), ("::", "[fd07:0:2::2]")):
            server = self.serve("--wait", "1", bind=bind)
            for name, sim in (("told", ("--sim", "skirmish")), ("asks", ())):  # without --sim the server is asked first
                out, _ = self.end(self.ask(host, "both", server, "--name", name, "--ticks", "5", sim=sim), GOOD)
                self.assertIn("its ticks are done", out)
                self.wait_entry(server, name, place)
            self.assertEqual(len([line for line in server.log if line.startswith("enter ")]), 2, server.text())
            self.assertEqual(server.stop(), GOOD)
        _, err = self.end(self.ask(host, "both", server), MACHINE)
        self.assertIn(f"(tried [{SERVER6}]:{server.port} and {SERVER4}:{server.port})", err)

    def test_namespaces_a_family_that_is_gone(self):
        """Nothing tells the client: datagrams to the address vanish. It joins, or resumes, over the other family."""
        self.name_server()
        server = self.serve("--wait", "1")
        # A slow machine would take the other family after a quarter of a second.
        self.home.ip("addr", "del", wide(SERVER4), "dev", "eth0")
        client = self.ask(self.host("10.7.0.2", "fd07:0:2::2"), "both", server, "--name", "first")
        self.wait_entry(server, "first", "[fd07:0:2::2]")
        server.wait_line(r"^tick \d\d", server.lines)
        self.home.add(SERVER4)
        self.home.ip("addr", "del", wide(SERVER6), "dev", "eth0")
        self.wait_entry(server, "first", "10.7.0.2")
        late = self.ask(self.host("10.7.0.3", "fd07:0:2::3"), "both", server, "--name", "late")
        self.wait_entry(server, "late", "10.7.0.3")
        self.finish(server, client, late)
        self.assertFalse([line for line in server.log if line.startswith("desync")], server.text())

    def count_answers(self, host, port, sources):
        """Sends one HELLO from each source at once, out of a host; returns how many were answered."""
        done = subprocess.run(
            host.words(sys.executable, "-B", os.path.abspath(__file__), "hello", str(port)), cwd=self.folder,
            input=" ".join(sources), capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    def test_namespaces_hellos_are_counted_by_56(self):
        server = self.serve("--wait", "1")
        crowd, other = self.host("fd07:0:2::1", "10.7.0.2"), self.host("fd07:0:9::1", "10.9.0.2")
        # Every address of these networks is one of the crowd's host.
        for prefix, via, family in (("fd07:0:5::/48", "fd07:0:2::1", "-6"), ("10.5.0.0/16", "10.7.0.2", "-4")):
            crowd.ip(family, "route", "add", "local", prefix, "dev", "lo")
            self.home.ip(family, "route", "add", prefix, "via", via)
        one_56 = [f"fd07:0:5:{i % 256:x}::{i:x}" for i in range(1, 601)]
        many_56 = [f"fd07:0:5:{i:x}00::1" for i in range(1, 101)]
        one_24 = [f"10.5.1.{i % 250 + 1}" for i in range(600)]
        many_24 = [f"10.5.{i}.1" for i in range(101, 201)]
        self.assertEqual(self.count_answers(crowd, server.port, ["fd07:0:2::1", "10.7.0.2"]), 2)
        for crowded, spread, fine in ((one_56, many_56, "fd07:0:9::1"), (one_24, many_24, "10.9.0.2")):
            answered = self.count_answers(crowd, server.port, crowded)
            self.assertGreaterEqual(answered, 100)
            self.assertLess(answered, 450, "HELLOs of one network are not limited")
            self.assertEqual(self.count_answers(other, server.port, [fine]), 1)
            self.assertGreater(self.count_answers(crowd, server.port, spread), 90)
        self.assertEqual(server.stop(), GOOD)

    def test_two_pods_of_a_fleet(self):
        """Two servers with a sidecar each, all of them on the same ports of hosts of their own. Players in a third one
        learn the address from the annotation."""
        with open(BINARY, "rb") as program:
            if b"libwebsockets.so" not in program.read():
                self.skipTest("this build has no HTTP")
        pods = [Pod(self, f"10.7.1.{i}") for i in (1, 2)]
        players = self.host("10.7.2.1")
        for pod, room in zip(pods, ("red", "blue")):
            self.wait_until(lambda pod=pod: pod.state()[0] == "Ready" and pod.state()[2], pod.server.text)
            self.assertEqual(pod.state()[2], pod.server.address)
            pod.allocate(room=room, seed="7")
        for pod, room in zip(pods, ("red", "blue")):
            self.wait_until(lambda pod=pod, room=room: pod.state()[:2] == ("Allocated", [room]), pod.server.text)
        joins = [subprocess.Popen(
            [*players.words(BINARY), "join", pod.state()[2], "--sim", "skirmish", "--room", room, "--bots", "2",
             "--ticks", "50"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True) for pod, room in zip(pods, ("red", "blue"))]
        for join in joins:
            self.end(join, GOOD)
        for pod in pods:
            self.wait_until(lambda pod=pod: pod.state()[:2] == ("Ready", []), pod.server.text)
            self.assertEqual(pod.server.stop(), GOOD, pod.server.text())
            self.wait_until(lambda pod=pod: pod.state()[0] == "Shutdown", pod.server.text)


def hello(port, sources):
    """Runs in a host: one HELLO of a wrong version from each source; prints how many were answered."""
    message = (b"\x41LKST" + b"\xff\xff").ljust(1200, b"\0")
    files = []
    for source in sources:
        file = socket.socket(socket.AF_INET if "." in source else socket.AF_INET6, socket.SOCK_DGRAM)
        if "." not in source:
            file.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)  # only a route says that the address is here
        file.bind((source, 0))
        file.connect((SERVER4 if "." in source else SERVER6, int(port)))
        files.append(file)
    for file in files:
        file.send(message)
    answered, poll, end = 0, select.poll(), time.monotonic() + SILENCE_S
    for file in files:
        poll.register(file, select.POLLIN)
    left = {file.fileno(): file for file in files}
    while left and time.monotonic() < end:
        for number, _ in poll.poll(100):
            poll.unregister(number)
            answered += left.pop(number).recv(2048)[0] == 0x45  # REJECT
            end = time.monotonic() + SILENCE_S
    print(answered)


if __name__ == "__main__":
    if sys.argv[1:2] == ["hello"]:
        hello(sys.argv[2], sys.stdin.read().split())
    else:
        main()
