"""The handshake and its key schedule, from docs/protocol.md alone."""
import base64
import hashlib
import os
import time

from nacl import bindings
from nacl.exceptions import BadSignatureError
from nacl.pwhash import argon2id
from nacl.signing import VerifyKey

from wire import Reader, Violation, need, number, text

HELLO, COOKIE, AUTH, ACCEPT, REJECT = 0x41, 0x42, 0x43, 0x44, 0x45  # Messages
SPECTATOR, BOT, LIGHT = 1, 2, 4  # AUTH box
MOVE, SAY = 1, 2  # Capabilities


def label(name):  # Key schedule
    return name.encode("ascii").ljust(16, b"\0")


def hashed(message, key=b""):  # Key schedule: H and K
    return hashlib.blake2b(message, digest_size=32, key=key).digest()


class Schedule:
    """Key schedule."""

    def __init__(self):
        self.transcript = hashed(label("transcript"))
        self.secret = hashed(label("secret"))

    def absorb(self, data):
        self.transcript = hashed(self.transcript + data)

    def mix(self, data):
        self.secret = hashed(label("mix") + data, self.secret)

    def derive(self, name):
        return hashed(label(name) + self.transcript, self.secret)

    def seal(self, name, plain):
        box = bindings.crypto_aead_chacha20poly1305_ietf_encrypt(
            plain, self.transcript, bytes(12), self.derive(name))
        self.absorb(box)
        return box

    def open(self, name, box):
        try:
            plain = bindings.crypto_aead_chacha20poly1305_ietf_decrypt(
                box, self.transcript, bytes(12), self.derive(name))
        except Exception as error:
            raise Violation("a box that does not open") from error
        self.absorb(box)
        return plain


def exchange(secret, public):
    """X25519; a result of zeros is a failure."""
    try:
        shared = bindings.crypto_scalarmult(secret, public)
    except Exception as error:
        raise Violation("a key of low order") from error
    need(any(shared), "a key of low order")
    return shared


def password_psk(password, identity):  # Handshake
    salt = hashed(label("password") + identity)[:16]
    return argon2id.kdf(32, password.encode("utf-8"), salt, opslimit=2, memlimit=64 << 20)


def read_key(characters):
    """The end of Certificate: 43 characters of unpadded base64url."""
    need(len(characters) == 43, "no identity")
    return base64.urlsafe_b64decode(characters + "=")


def read_pass(path):
    """Connect pass: (token, psk, server's identity or None)."""
    with open(path, "r", encoding="ascii") as file:
        lines = file.read().split("\n")
    need(lines[0] == "lockstep pass 1" and len(lines) == 3 and lines[2] == "", "no pass")
    need(len(lines[1]) == 588, "no pass")
    content = base64.urlsafe_b64decode(lines[1])
    server = content[336:368]
    return content[:304], content[304:336], server if any(server) else None


def read_reject(data):
    """REJECT: (code, lowest, highest, reason)."""
    reader = Reader(data)
    need(reader.number(1) == REJECT, "no REJECT")
    code, lowest, highest = reader.number(1), reader.number(2), reader.number(2)
    reason = reader.text(224)
    reader.end()
    need(1 <= code <= 6, "REJECT of no code")
    return code, lowest, highest, reason


class Handshake:
    """One attempt to enter. What it sends twice is the same, byte for byte."""

    def __init__(self, engine, fingerprint, simulation, **options):
        self.engine, self.fingerprint, self.simulation = engine, fingerprint, simulation
        self.secret = options.get("secret") or os.urandom(32)
        self.random = options.get("random") or os.urandom(32)
        self.public = bindings.crypto_scalarmult_base(self.secret)
        self.flags = options.get("flags", 0)
        self.name = options.get("name", "python")
        self.build = options.get("build", "conformance")
        self.room = options.get("room", "")
        self.resume = options.get("resume")
        self.pin = options.get("pin")
        self.password = options.get("password")
        self.token, self.psk = options.get("token", b""), options.get("psk", bytes(32))
        self.version = options.get("version", 3)
        self.capabilities = options.get("capabilities", MOVE)
        self.extension = options.get("extension", b"")  # of a capability to come

    def hello(self):
        """HELLO."""
        message = bytes([HELLO]) + b"LKST" + number(self.version, 2) + number(self.engine, 4)
        message += self.fingerprint + text(self.simulation)
        message += self.token[:4] or bytes(4)  # Connect token: the key id is in front
        message += self.public + number(self.capabilities, 4) + self.extension
        return message.ljust(1200, b"\0")

    def read_cookie(self, data, unix_s=None, extra=0):
        """COOKIE and Certificate; then the AUTH can be sealed, with `extra` capabilities."""
        reader = Reader(data)
        need(reader.number(1) == COOKIE, "no COOKIE")
        lowest, highest = reader.number(2), reader.number(2)
        need(lowest <= 3 <= highest and reader.take(16) == self.fingerprint, "COOKIE for others")
        hello_hash = hashed(self.hello())
        need(reader.take(32) == hello_hash, "COOKIE for another HELLO")
        bucket, cookie, server = reader.take(4), reader.take(32), reader.take(32)
        expiry, identity, signature = reader.take(8), reader.take(32), reader.take(64)
        theirs = reader.take(4)
        reader.end()
        try:
            VerifyKey(identity).verify(label("certificate") + server + expiry, signature)
        except BadSignatureError as error:
            raise Violation("certificate is not signed") from error
        need(self.pin in (None, identity), "another server")
        now = time.time() if unix_s is None else unix_s
        need(int.from_bytes(expiry, "little") > now, "certificate expired")
        self.identity, self.bucket, self.cookie = identity, bucket, cookie
        schedule = Schedule()
        self.agreed = self.capabilities & int.from_bytes(theirs, "little") | extra
        schedule.absorb(number(lowest, 2) + number(highest, 2) + theirs + hello_hash + server +
                        identity)
        schedule.mix(exchange(self.secret, server))
        if self.password is not None:
            self.psk = password_psk(self.password, identity)
        schedule.mix(self.psk)
        self.before_auth = schedule.transcript, schedule.secret
        head = self.public + hello_hash + number(len(self.token), 2) + self.token
        schedule.absorb(head)
        self.auth = bytes([AUTH]) + bucket + cookie + head + schedule.seal("auth box", self.auth_box(677 if self.token else 981))
        self.schedule = schedule.transcript, schedule.secret

    def auth_box(self, count):
        """AUTH box."""
        plain = self.random + bytes([self.flags]) + text(self.name) + text(self.build)
        plain += text(self.room) + bytes([self.resume is not None]) + (self.resume or bytes(32))
        return (plain + number(self.agreed, 4)).ljust(count, b"\0")

    def read_accept(self, data):
        """ACCEPT and ACCEPT box: what was granted, with all keys of step 11."""
        need(len(data) <= 600, "ACCEPT too long")
        reader = Reader(data)
        need(reader.number(1) == ACCEPT, "no ACCEPT")
        server = reader.take(32)
        schedule = Schedule()
        schedule.transcript, schedule.secret = self.schedule
        schedule.absorb(server)
        schedule.mix(exchange(self.secret, server))
        reader = Reader(schedule.open("accept box", reader.rest()))
        granted = {"player": reader.number(1), "connect id": reader.number(4),
                   "epoch": reader.number(4), "tick": reader.number(8), "seed": reader.number(8),
                   "tick rate": reader.number(2), "seats": reader.number(1)}
        options = reader.number(1)
        need(granted["connect id"] and 1 <= granted["tick rate"] <= 240 and options <= 16 and
             1 <= granted["seats"] <= 64, "ACCEPT outside of its limits")
        need(granted["player"] in (*range(granted["seats"]), 255), "no such seat")
        granted["options"] = [reader.number(8, signed=True) for _ in range(options)]
        granted["room"], granted["build"] = reader.text(32), reader.text(96)
        granted["resume secret"] = reader.take(32)
        reader.end()
        granted["keys"] = {name: schedule.derive(name) for name in (
            "server ticks", "server control", "client ticks", "client control")}
        for name in ("server carrier", "client carrier"):
            granted["keys"][name] = schedule.derive(name)[:16]
        return granted
