"""Builds the wheel for pip, with nothing but Python: the package, and the description of the interface. That is the
file LOCKSTEP_API, or that of the installation that this folder belongs to, or else a new one from the headers of this
tree, which needs clang."""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
NAME, VERSION = "lockstep", "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nLicense: MIT\nRequires-Python: >=3.9\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: lockstep\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def description():
    """lockstep-api.json, as bytes."""
    installed = os.path.join(TREE, "lockstep-api.json")
    given = os.environ.get("LOCKSTEP_API") or (installed if os.path.exists(installed) else None)
    with tempfile.TemporaryDirectory() as folder:
        if not given:
            clang = next((name for name in ("clang-14", "clang") if shutil.which(name)), None)
            if clang is None:
                raise SystemExit("clang is not here: set LOCKSTEP_API to share/lockstep/lockstep-api.json of an "
                                 "installed Lockstep")
            given = os.path.join(folder, "api.json")
            subprocess.run((sys.executable, os.path.join(TREE, "cmake", "describe_api.py"), "--clang", clang, "--output",
                            given), check=True)
        with open(given, "rb") as file:
            return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    files = {f"{NAME}/api.json": description(), f"{INFO}/METADATA": METADATA.encode(), f"{INFO}/WHEEL": WHEEL.encode()}
    for name in sorted(os.listdir(os.path.join(HERE, NAME))):
        if name.endswith(".py"):
            with open(os.path.join(HERE, NAME, name), "rb") as file:
                files[f"{NAME}/{name}"] = file.read()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return wheel
