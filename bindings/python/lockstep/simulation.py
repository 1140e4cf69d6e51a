"""Simulations (modules built by lockstep_add_simulation()) and worlds, whose cells are read as rows."""
import ctypes
import os
import struct

from . import api as _api

# LS_TYPE_* -> (format of one number, numbers)
FORMATS = {"U8": ("B", 1), "I8": ("b", 1), "U16": ("H", 1), "I16": ("h", 1), "U32": ("I", 1), "I32": ("i", 1),
           "U64": ("Q", 1), "I64": ("q", 1), "BOOL": ("?", 1), "FIX": ("i", 1), "ANGLE": ("H", 1),
           "ENTITY": ("Q", 1), "ENUM": ("B", 1), "FIX2": ("i", 2), "FIX3": ("i", 3)}


class Error(Exception):
    """A call that returned no LS_OK; `status` is the name, such as LS_ERROR_CORRUPT."""

    def __init__(self, status, text):
        super().__init__(text or status)
        self.status = status


def call(function, *arguments):
    """Calls a function whose last parameter is ls_error *; raises Error."""
    api = _api.get()
    error = api.struct("ls_error")()
    status = function(*arguments, ctypes.byref(error))
    if status:
        raise Error(api.enum_name("ls_status", status), error.text.decode("utf-8", "replace"))


class Owned:
    """One object of C, which close() or the end of a `with` destroys."""
    destroy = ""

    def __init__(self):
        self.handle = ctypes.c_void_p()

    def close(self):
        if self.handle:
            getattr(_api.get(), self.destroy)(self.handle)
            self.handle = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Simulation(Owned):
    """A module (.so) and its checked program. Keep it until all that uses it is closed."""
    destroy = "ls_program_destroy"

    def __init__(self, path):
        super().__init__()
        api = _api.get()
        self.module = self._module(str(path))
        self.module.ls_sim_export.restype = ctypes.POINTER(api.struct("ls_sim"))
        self.sim = self.module.ls_sim_export().contents
        call(api.ls_program_create, ctypes.byref(self.sim), ctypes.byref(self.handle))
        api.struct("ls_field")
        api.struct("ls_component")
        self.components = {}
        for i in range(self.sim.component_count):
            # The address itself is what the engine knows a component by.
            one = self.sim.components[i]
            self.components[one.contents.name.decode()] = one

    @staticmethod
    def _module(path):
        """The shared object, whose floats are those of every machine."""
        if not os.path.exists(path):
            raise Error("LS_ERROR_NOT_FOUND", f"{path}: no such file; a simulation's module is looked for")
        try:
            # Without a folder, the loader would search the system's.
            module = ctypes.CDLL(os.path.abspath(path))
        except OSError as error:
            raise Error("LS_ERROR_INCOMPATIBLE", f"{path} cannot be loaded ({error}); rebuild it against this version") from None
        for name in ("ls_sim_export", "ls_sim_float_faults"):
            if not hasattr(module, name):
                raise Error("LS_ERROR_USAGE", f"{path} is no simulation: it has no {name}(); build it with "
                            "lockstep_add_simulation()")
        module.ls_sim_float_faults.restype = ctypes.c_uint32
        call(_api.get().ls_float_check, module.ls_sim_float_faults(), path.encode())
        return module

    @property
    def name(self):
        return self.sim.name.decode()

    def match(self, seed=1):
        return _api.get().ls_program_match(self.handle, seed)


class Fields:
    """Reads the cells of one component by its field table."""

    def __init__(self, component):
        api = _api.get()
        self.bytes = component.bytes
        self.fields = []
        for i in range(component.field_count):
            field = component.fields[i]
            kind = api.enum_name("ls_type", field.type).removeprefix("LS_TYPE_")
            letter, numbers = FORMATS[kind]
            size = struct.calcsize("=" + letter) * numbers
            count = field.bytes // size
            names = [field.names[k].decode() for k in range(field.max + 1)] if kind == "ENUM" else None
            self.fields.append((field.name.decode(), field.offset, f"={count * numbers}{letter}", kind, count, names))

    def read(self, cell):
        """{field: value} of one cell. LS_TYPE_FIX is a float, which holds it exactly; an array is a list."""
        return {name: self._value(struct.unpack_from(letters, cell, offset), kind, count, names)
                for name, offset, letters, kind, count, names in self.fields}

    @staticmethod
    def _value(numbers, kind, count, names):
        if kind in ("FIX", "FIX2", "FIX3"):
            numbers = [number / 65536 for number in numbers]
        length = FORMATS[kind][1]
        if length > 1:
            numbers = list(zip(*(numbers[i::length] for i in range(length))))
        if names:
            numbers = [names[number] if number < len(names) else number for number in numbers]
        return numbers[0] if count == 1 else list(numbers)


class World:
    """A world that somebody else owns: of a session or of a replay. Read it before the next call of its owner."""

    def __init__(self, simulation, handle):
        self.simulation, self.handle = simulation, ctypes.c_void_p(handle)

    @property
    def tick(self):
        return _api.get().ls_world_tick(self.handle)

    @property
    def root(self):
        """The hash of the state. Not for the predicted world of a session, which is read only."""
        return _api.get().ls_world_root(self.handle)

    def rows(self, *names):
        """[{"entity": handle, field: value ...}] of the entities that have all these components, in canonical order.
        With several components a field is named COMPONENT.FIELD."""
        api = _api.get()
        terms = (api.struct("ls_term") * (len(names) + 1))()
        read = []
        for i, name in enumerate(names):
            component = self.simulation.components[name]
            terms[i].component = component
            terms[i].access = api.constant("LS_ACCESS_READ" if component.contents.bytes else "LS_ACCESS_PRESENCE")
            read.append((i, name + "." if len(names) > 1 else "", Fields(component.contents)))
        walk = api.struct("ls_world_walk")()
        api.ls_world_walk_begin(self.handle, terms, ctypes.byref(walk))
        found = []
        while api.ls_world_walk_next(ctypes.byref(walk)):
            span = walk.span
            columns = [(prefix, fields, ctypes.string_at(span.const_cells[i], fields.bytes * span.count))
                       for i, prefix, fields in read if fields.bytes]
            for i in range(span.count):
                row = {"entity": span.generations[i] << 32 | span.lane << 24 | span.first_slot + i}
                for prefix, fields, cells in columns:
                    cell = cells[i * fields.bytes:(i + 1) * fields.bytes]
                    row.update((prefix + name, value) for name, value in fields.read(cell).items())
                found.append(row)
        return found
