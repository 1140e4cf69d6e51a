"""A client in a match: a player whose inputs come from a function or from the simulation's bot, or a spectator."""
import ctypes
import time

from . import api as _api
from .simulation import Error, Owned, World, call


class Session(Owned):
    """Joins HOST:PORT[#KEY]. With a key, only that server is accepted; without one, any. Call update() at least as often
    as the match ticks, or run()."""
    destroy = "ls_session_destroy"

    def __init__(self, simulation, address, name="", predict_ticks=0, is_spectator=False, password=None, room=""):
        super().__init__()
        api = _api.get()
        self.simulation, self.link = simulation, ctypes.POINTER(api.struct("ls_link"))()
        server = api.struct("ls_server_address")()
        call(api.ls_server_address_parse, address.encode(), ctypes.byref(server))
        call(api.ls_link_enet_open, server.host, server.port, ctypes.byref(self.link))
        config = api.ls_client_config_default()
        config.program, config.link = simulation.handle, self.link
        config.name, config.room = name.encode(), room.encode()
        config.is_spectator, config.is_machine = is_spectator, True
        config.unix_s = int(time.time())
        if server.has_key:
            config.pin = ctypes.pointer(server.key)
        if password is not None:
            config.password = password.encode()
        try:
            call(api.ls_session_create, ctypes.byref(config), predict_ticks, ctypes.byref(self.handle))
        except Error:
            self.close()
            raise
        self.client = api.ls_session_client(self.handle)

    def close(self):
        api = _api.get()
        if self.handle:
            api.ls_client_leave(self.client, b"closed", time.monotonic_ns())
        super().close()
        if self.link:
            api.ls_link_destroy(self.link)
            self.link = None

    def update(self):
        """Does all that is due, and never waits."""
        _api.get().ls_session_update(self.handle, time.monotonic_ns())

    @property
    def state(self):
        """handshake, connecting, loading, playing, resuming, ended, refused, lost or failed."""
        api = _api.get()
        return api.ls_client_state_name(api.ls_client_get_state(self.client)).decode()

    @property
    def is_final(self):
        return _api.get().ls_client_is_final(self.client)

    @property
    def reason(self):
        return _api.get().ls_client_reason(self.client).decode("utf-8", "replace")

    @property
    def stats(self):
        """ls_client_stats; its members are those of client_stats.h."""
        return _api.get().ls_client_get_stats(self.client)

    def _world(self, member):
        found = getattr(_api.get().ls_session_view_of(self.handle), member)
        return World(self.simulation, found) if found else None

    @property
    def confirmed(self):
        """None before the first snapshot."""
        return self._world("confirmed")

    @property
    def predicted(self):
        return self._world("predicted")

    def submit_state(self, state):
        """Sets the player's state input from now on. False if this tick has a state already, or the client does not play yet."""
        data = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if len(state) != self.simulation.sim.state_bytes:
            raise ValueError(f"a state of {self.simulation.name} has {self.simulation.sim.state_bytes} bytes")
        return _api.get().ls_session_submit_state(self.handle, data) == 0

    def submit(self, order):
        """Gives an order. False if it is refused."""
        if not order:
            raise ValueError("an order has at least one byte")
        data = (ctypes.c_uint8 * len(order)).from_buffer_copy(order)
        return _api.get().ls_session_submit(self.handle, data, len(order)) == 0

    def bot(self, world, player):
        """What the simulation's bot would do: (state or None, list of orders)."""
        sim = self.simulation.sim
        data = (ctypes.c_uint8 * _api.get().constant("LS_INPUT_BYTES_MAX"))()
        state = None
        if sim.state_bytes and sim.bot_state:
            sim.bot_state(world.handle, player, data)
            state = bytes(data[:sim.state_bytes])
        count = sim.bot(world.handle, player, data) if sim.bot else 0
        return state, [bytes(data[:count])] if count else []

    def run(self, seconds, script=None):
        """Plays until the match ends or the time is over. Once a tick it asks script(world, player) for a state (or None)
        and a list of orders; without a script it only watches. Pass session.bot to let the bot play."""
        until, asked = time.monotonic() + seconds, -1
        while time.monotonic() < until:
            self.update()
            if self.is_final:
                break
            world, stats = self.predicted, self.stats
            if script and world and stats.is_playing and world.tick > asked:
                asked = world.tick
                state, orders = script(world, stats.player)
                if state is not None:
                    self.submit_state(state)
                for order in orders:
                    self.submit(order)
            time.sleep(0.002)
        return self.state
