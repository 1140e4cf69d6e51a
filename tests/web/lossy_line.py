"""Two network namespaces with a line between them that delays and loses packets: a TUN device in each, and a thread
that carries what they send. TCP and UDP are the kernel's own. Needs `unshare -rn`."""
import fcntl
import heapq
import os
import random
import select
import shutil
import struct
import subprocess
import sys
import threading
import time

ENTERED = "LOCKSTEP_IN_NAMESPACE"
TUNSETIFF, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
NEAR, FAR = "10.9.0.1", "10.9.0.2"


def enter():
    """Runs this program again in a namespace of its own, or says why it cannot."""
    if ENTERED in os.environ:
        return ""
    for program in ("ip", "nsenter", "unshare"):
        if not shutil.which(program):
            return f"{program} is missing (packages iproute2 and util-linux)"
    probe = subprocess.run(["unshare", "-rn", "ip", "tuntap", "add", "dev", "probe", "mode", "tun"], capture_output=True, text=True,
                           check=False)
    if probe.returncode:
        return f"no network namespace with a TUN device: {probe.stderr.strip()}"
    os.environ[ENTERED] = "1"
    os.execvp("unshare", ["unshare", "-rnm", sys.executable, "-B", *sys.argv])
    return ""


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


class Line:
    """`far` begins a command that runs on the other side. The near side has the address NEAR, the far one FAR."""

    def __init__(self, loss, each_way_s, seed=1):
        self.loss, self.each_way_s, self.random = loss, each_way_s, random.Random(seed)
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo && exec sleep 1000000"], stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        self.far = ["nsenter", "-t", str(self.holder.pid), "-n"]
        self.ends = [self.open_device("near"), self.open_device("far")]
        run("ip", "link", "set", "far", "netns", str(self.holder.pid))
        for begin, name, own, other in (([], "near", NEAR, FAR), (self.far, "far", FAR, NEAR)):
            run(*begin, "ip", "addr", "add", f"{own}/24", "dev", name)
            run(*begin, "ip", "link", "set", name, "up")
            run(*begin, "ip", "link", "set", "lo", "up")
            run(*begin, "ip", "route", "add", "default", "via", other)
        self.carrier = threading.Thread(target=self.carry, daemon=True)
        self.carrier.start()

    @staticmethod
    def open_device(name):
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), TUN_WITHOUT_HEADER))
        return device

    def carry(self):
        waiting, count = [], 0
        while True:
            left = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
            ready, _, _ = select.select(self.ends, [], [], left)
            now = time.monotonic()
            for end in ready:
                try:
                    packet = os.read(end, 65536)
                except OSError:
                    return  # closed: the far side's device is gone
                if self.random.random() >= self.loss:
                    count += 1
                    heapq.heappush(waiting, (now + self.each_way_s, count, self.ends[end == self.ends[0]], packet))
            while waiting and waiting[0][0] <= now:
                _, _, end, packet = heapq.heappop(waiting)
                try:
                    os.write(end, packet)
                except OSError:
                    pass  # the other side's queue is full, or it is gone

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.carrier.join()
        for end in self.ends:
            os.close(end)
