"""The C interface as ctypes, built from lockstep-api.json: api.functions by name, api.struct(name), api.constant(name).
Structs whose layout ctypes would get wrong are refused when they are first used."""
import ctypes
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "double": ctypes.c_double,
    "unsigned int": ctypes.c_uint, "size_t": ctypes.c_size_t, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16, "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
}


def split(text):
    """The parts of a list of parameters."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [*parts, part.strip()]


class Api:
    def __init__(self, library=None, description=None):
        with open(description or os.path.join(HERE, "api.json"), encoding="utf-8") as file:
            self.description = json.load(file)
        if self.description["format"] != 1:
            raise OSError(f"lockstep-api.json has format {self.description['format']}, this binding reads 1")
        self._structs = {one["name"]: one for one in self.description["structs"]}
        self._classes = {}
        self._enums = {one["name"] for one in self.description["enums"] if one["name"]}
        self._types = {one["name"]: one["type"] for one in self.description["types"]}
        self._functions = {one["name"]: one for one in self.description["functions"]}
        self._constants = {one["name"]: one["value"] for one in self.description["constants"]}
        for one in self.description["enums"]:
            self._constants.update((value["name"], value["value"]) for value in one["values"])
        self.library = self._load(library or os.environ.get("LOCKSTEP_LIBRARY"))

    def _load(self, given):
        """The library; OSError with the remedy if it is not there or does not fit."""
        wanted = f"liblockstep.so.{self.description['abi']}"
        name = given or wanted
        machine = self.description["target"].split("-")[0]
        if os.uname().machine != machine or ctypes.sizeof(ctypes.c_void_p) != 8:
            raise OSError(f"this binding was made for {machine}, and this is {os.uname().machine} with "
                          f"{8 * ctypes.sizeof(ctypes.c_void_p)} bits; build Lockstep here and install its binding")
        remedy = f"set LOCKSTEP_LIBRARY to the path of {wanted}"
        try:
            # Global: a simulation's module takes the engine from here.
            library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise OSError(f"{name} cannot be loaded ({error}); install Lockstep, or {remedy}") from None
        if not hasattr(library, "ls_library_abi"):
            raise OSError(f"{name} is not Lockstep's library: it has no ls_library_abi(); {remedy}")
        library.ls_library_abi.restype = ctypes.c_uint32
        found, own = library.ls_library_abi(), "the binding that is installed with that library (share/lockstep/bindings)"
        if found != self.description["abi"]:
            raise OSError(f"{name} has LS_ABI {found}, this binding was made for {self.description['abi']}; use {wanted}, or {own}")
        missing = next((one for one in self.function_names() if not hasattr(library, one)), None)
        if missing:
            raise OSError(f"{name} lacks {missing}(): it is older than this binding; use {own}")
        return library

    def constant(self, name):
        return self._constants[name]

    def enum_name(self, enum, value):
        one, = [one for one in self.description["enums"] if one["name"] == enum]
        return next((known["name"] for known in one["values"] if known["value"] == value), str(value))

    def struct(self, name):
        """The ctypes class of a struct."""
        made = self._class(name)
        if not hasattr(made, "_fields_"):
            about = self._structs[name]
            made._fields_ = [(one["name"], self.type(one["type"])) for one in about["members"]]
            wrong = [one["name"] for one in about["members"] if getattr(made, one["name"]).offset != one["offset"] or
                     getattr(made, one["name"]).size != one["bytes"]]
            if wrong or ctypes.sizeof(made) != about["bytes"]:
                raise TypeError(f"struct {name} has another layout in ctypes ({', '.join(wrong) or 'its size'}); make api.json "
                                "from lockstep-api.json of this machine")
        return made

    def _class(self, name):
        if name not in self._classes:
            base = ctypes.Union if self._structs[name]["kind"] == "union" else ctypes.Structure
            self._classes[name] = type(name, (base,), {})
        return self._classes[name]

    def type(self, spelled):
        """The ctypes type of a type that is spelled as in C."""
        spelled = re.sub(r"\b(const|struct|enum)\b ?", "", spelled).replace("__attribute__((noreturn))", "").strip()
        array = re.fullmatch(r"(.*?)((?:\[\d+\])+)", spelled)
        if array:
            made = self.type(array.group(1))
            for count in reversed(re.findall(r"\d+", array.group(2))):
                made *= int(count)
            return made
        function = re.fullmatch(r"(.*?) ?\(\*\)\((.*)\)", spelled) or re.fullmatch(r"([^()]*?) ?\(([^*].*)\)", spelled)
        if function:
            parameters = [] if function.group(2) == "void" else split(function.group(2))
            return ctypes.CFUNCTYPE(self._result(function.group(1)), *map(self.type, parameters))
        if spelled.endswith("*"):
            return self._pointer(spelled[:-1].strip())
        if spelled in PLAIN:
            return PLAIN[spelled]
        if spelled in self._enums:
            return ctypes.c_int
        if spelled in self._types:
            return self.type(self._types[spelled])
        if spelled in self._structs:
            return self.struct(spelled)
        raise TypeError(f"unknown type {spelled}")

    def _pointer(self, target):
        if target == "char":
            return ctypes.c_char_p
        if target in self._structs:
            return ctypes.POINTER(self._class(target))
        if target in self._types and "(" in self._types[target]:
            return self.type(self._types[target])
        if target.endswith("*"):
            return ctypes.POINTER(self._pointer(target[:-1].strip()))
        if target in PLAIN and PLAIN[target]:
            return ctypes.POINTER(PLAIN[target])
        return ctypes.c_void_p # void, and objects that are known by pointer only

    def _result(self, spelled):
        made = self.type(spelled)
        # ctypes would turn a callback's pointers into objects that it cannot return.
        return ctypes.c_void_p if isinstance(made, type) and issubclass(made, ctypes._Pointer) else made

    def __getattr__(self, name):
        """api.ls_world_root: the function, with the types of its parameters and its result."""
        about = self.__dict__.get("_functions", {}).get(name)
        if about is None or about["is_inline"]:
            raise AttributeError(f"{name} is no function of liblockstep.so")
        function = getattr(self.library, name)
        function.argtypes = [self.type(one["type"]) for one in about["parameters"]]
        for one in function.argtypes:
            self._complete(one)
        function.restype = self.type(about["result"])
        self._complete(function.restype)
        setattr(self, name, function)
        return function

    def _complete(self, made):
        """A pointer needs the members of its struct as soon as it is followed."""
        target = getattr(made, "_type_", None)
        if isinstance(target, type) and issubclass(target, (ctypes.Structure, ctypes.Union)):
            self.struct(target.__name__)

    def function_names(self):
        return [name for name, about in self._functions.items() if not about["is_inline"]]


_api = None


def get():
    """The library of this process: LOCKSTEP_LIBRARY, or the system's. Linux only."""
    global _api
    if _api is None:
        if sys.platform != "linux":
            raise OSError("the binding is for Linux")
        _api = Api()
    return _api
