"""Recordings: verify one, or look at the world before any of its ticks."""
import ctypes

from . import api as _api
from .simulation import Error, Owned, World, call


class Replay(Owned):
    """A recording with its simulation. Raises Error for a damaged file or another simulation."""
    destroy = "ls_replay_player_close"

    def __init__(self, simulation, path, allows_any_build=False):
        super().__init__()
        api = _api.get()
        self.simulation = simulation
        recording = ctypes.c_void_p()
        call(api.ls_recording_open, str(path).encode(), ctypes.byref(recording))
        config = api.struct("ls_replay_player_config")()
        config.program = simulation.handle
        config.allows_any_build = allows_any_build
        try:
            call(api.ls_replay_player_create, recording, ctypes.byref(config), ctypes.byref(self.handle))
        except Exception:
            api.ls_recording_close(recording)
            raise

    @property
    def first(self):
        return _api.get().ls_replay_player_first(self.handle)

    @property
    def last(self):
        """The tick after the last one."""
        return _api.get().ls_replay_player_last(self.handle)

    def seek(self, tick):
        """The world before `tick`. Raises Error LS_ERROR_DIVERGED where a root differs from the recorded one."""
        call(_api.get().ls_replay_player_seek, self.handle, tick)
        return self.world

    def step(self):
        call(_api.get().ls_replay_player_step, self.handle)
        return self.world

    @property
    def world(self):
        return World(self.simulation, _api.get().ls_replay_player_world(self.handle))

    def recorded_root(self, tick):
        """None if it is not recorded."""
        root = ctypes.c_uint64()
        found = _api.get().ls_replay_player_root(self.handle, tick, ctypes.byref(root))
        return root.value if found else None

    def end(self):
        """A line on how the file ends; raises Error if bytes follow that cannot be played."""
        api = _api.get()
        text, end = api.struct("ls_error")(), api.struct("ls_recording_end")()
        status = api.ls_replay_player_end(self.handle, ctypes.byref(end), ctypes.byref(text))
        line = text.text.decode("utf-8", "replace")
        if status:
            raise Error(api.enum_name("ls_status", status), line)
        return line


def verify(simulation, path, allows_any_build=False):
    """Simulates the whole recording and compares each root: (ticks, last root). Raises Error at the first difference,
    and for a file that is damaged."""
    with Replay(simulation, path, allows_any_build) as replay:
        compared = 0
        for tick in range(replay.first, replay.last):
            compared += replay.recorded_root(tick) is not None
            replay.step()
        replay.end()
        if compared < replay.last - replay.first:
            raise Error("LS_ERROR_NOT_FOUND", f"{path}: only {compared} of {replay.last - replay.first} roots are recorded")
        return replay.last - replay.first, replay.world.root
