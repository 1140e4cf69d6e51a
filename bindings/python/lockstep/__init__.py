"""Lockstep from Python, over liblockstep.so and ctypes: docs/engines.md."""
from .recording import Replay, verify
from .session import Session
from .simulation import Error, Simulation, World

__all__ = ["Error", "Replay", "Session", "Simulation", "World", "verify"]
