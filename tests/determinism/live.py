#!/usr/bin/env python3
"""Plays one live match: a server of this machine or another, and clients of any machines. Fails unless every client
runs every tick, all roots of each tick are equal, the server names no desync, and its recording verifies.

usage: live.py --server LOCKSTEP --folder FOLDER [--host COMMAND] [--ticks N] [--sim NAME] [--plant NAME:TICK]
               NAME=COMMAND...
  COMMAND      runs tests/determinism/player.c, maybe in an emulator
  --host       runs tests/determinism/host.c, maybe in an emulator, as the server; LOCKSTEP only verifies
  --plant      flips a bit of that client's world; then exactly this one must differ, from the next tick on, and be
               named by the server
"""
import argparse
import hashlib
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

# Emulators start slowly on a loaded machine, and a big battle would be too much for them.
START_S, PATIENCE_S = 60, 300
# The match is longer than what is compared: its end may reach a client before its last ticks do.
MORE_TICKS = 60
TICK_RATE = 120 # slower machines hold the ticks back
SETTINGS = {"skirmish": ["units=300"]}


def wait_for_address(output: pathlib.Path, server: subprocess.Popen) -> str:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        for line in output.read_text(encoding="utf-8").splitlines():
            if line.startswith("listening "):
                return line.split()[1]
        time.sleep(0.05)
    sys.exit(f"the server does not listen:\n{output.read_text(encoding='utf-8')}")


def read_roots(path: pathlib.Path) -> dict[int, str]:
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return {int(tick): root for tick, root in (line.split() for line in lines)}


class Match:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.clients = dict(entry.split("=", 1) for entry in options.clients)
        self.ends: dict[str, str] = {}
        self.faults: list[str] = []

    def path(self, name: str) -> pathlib.Path:
        return self.folder / name

    def server_command(self) -> list[str]:
        count, ticks = str(len(self.clients)), str(self.options.ticks + MORE_TICKS)
        settings = SETTINGS.get(self.options.sim, [])
        if self.options.host:
            return [*shlex.split(self.options.host), self.options.sim, count, ticks,
                    str(self.path("recordings") / "match.lsr"), str(self.path("server.log")), *settings]
        return [self.options.server, "serve", "--temporary-identity", "--bind", "127.0.0.1", "--port", "0",
                "--sim", self.options.sim, "--players", count, "--wait", count, "--ticks", ticks,
                "--tick-rate", str(TICK_RATE), "--record", str(self.path("recordings")), "--desync", "report",
                "--quiet", "--policy", "wait", *(f"--set={setting}" for setting in settings),
                "--log", str(self.path("server.log"))]

    def play(self) -> None:
        command = self.server_command()
        running: dict[str, subprocess.Popen] = {}
        self.path("recordings").mkdir()
        with open(self.path("server.txt"), "w", encoding="utf-8") as output, \
                subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as server:
            try:
                address, _, key = wait_for_address(self.path("server.txt"), server).partition("#")
                for name, command in self.clients.items():
                    running[name] = self.start(name, shlex.split(command), address)
                until = time.monotonic() + PATIENCE_S
                for name, client in running.items():
                    self.finish(name, client, until)
                    self.check_known(name, f"{address} {key}\n")
                if server.wait(max(1, until - time.monotonic())) != 0:
                    self.faults.append(f"the server ended with {server.returncode}")
            finally:
                for process in (*running.values(), server):
                    if process.poll() is None:
                        process.kill()
                        process.wait()

    def start(self, name: str, command: list[str], address: str) -> subprocess.Popen:
        command += [address, self.options.sim, name, str(self.options.ticks),
                    str(self.path(f"{name}.servers")), str(self.path(f"{name}.roots"))]
        if self.options.plant and self.options.plant[0] == name:
            command.append(str(self.options.plant[1]))
        # Not through a pipe: Wine's server and services inherit it, and may end long after the client.
        with open(self.path(f"{name}.txt"), "wb") as output:
            return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)

    def finish(self, name: str, client: subprocess.Popen, until: float) -> None:
        try:
            client.wait(max(1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.faults.append(f"{name} does not end")
            return
        output = self.path(f"{name}.txt").read_text(encoding="utf-8", errors="replace")
        self.ends[name] = (output.replace("\r", "").strip() or "nothing").splitlines()[-1]
        is_planted = bool(self.options.plant) and self.options.plant[0] == name
        if (client.returncode != 0) != is_planted:
            self.faults.append(f"{name} ended with {client.returncode}")

    def check_known(self, name: str, line: str) -> None:
        path = self.path(f"{name}.servers")
        if not path.exists() or path.read_text(encoding="ascii") != line:
            self.faults.append(f"{name} has not saved the server's key")

    def compare(self) -> None:
        """The first client that is not planted is the measure for all."""
        roots = {name: read_roots(self.path(f"{name}.roots")) for name in self.clients}
        planted, at = self.options.plant or (None, None)
        measure = next(roots[name] for name in self.clients if name != planted)
        for name, own in roots.items():
            missing = [tick for tick in range(1, self.options.ticks + 1) if tick not in own]
            if missing:
                self.faults.append(f"{name} has no root of tick {missing[0]}")
            own = {tick: root for tick, root in own.items() if tick <= self.options.ticks}
            differing = sorted(tick for tick in own if own[tick] != measure.get(tick))
            if differing[:1] != ([at + 1] if name == planted else []):
                self.faults.append(f"{name}: roots differ from tick {differing[:1] or 'never'} on")
            digest = hashlib.sha256("".join(own[tick] for tick in sorted(own)).encode()).hexdigest()[:16]
            print(f"{name}: {len(own)} roots, the last {own.get(self.options.ticks)}, digest of all {digest}")
            print(f"  {self.ends.get(name, 'no output')}")
        self.check_server(planted)

    def check_server(self, planted: str | None) -> None:
        events = self.path("server.log").read_text(encoding="utf-8").splitlines()
        desyncs = [line for line in events if line.split(" ", 1)[0] == "desync"]
        print(f"server: {len(desyncs)} desyncs, the end: {[line for line in events if line.startswith('end ')]}")
        if len(desyncs) != bool(planted) or planted and f'name="{planted}"' not in desyncs[0]:
            self.faults.append(f"the server names {desyncs or 'no desync'}")
        done = subprocess.run([self.options.server, "verify", "--require-signed", str(self.path("recordings"))],
                              capture_output=True, text=True, check=False)
        print(f"verify: {done.stdout.strip()}")
        if done.returncode != 0:
            self.faults.append(f"the recording does not verify: {done.stderr}")


def parse_plant(text: str) -> tuple[str, int]:
    name, _, tick = text.rpartition(":")
    return name, int(tick)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--host")
    parser.add_argument("--ticks", type=int, default=600)
    parser.add_argument("--sim", default="skirmish")
    parser.add_argument("--plant", type=parse_plant)
    parser.add_argument("clients", nargs="+")
    match = Match(parser.parse_args())
    match.play()
    match.compare()
    for fault in match.faults:
        print(f"FAILED: {fault}")
    return 1 if match.faults else 0


if __name__ == "__main__":
    sys.exit(main())
