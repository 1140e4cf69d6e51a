"""docs/protocol.md against the real server: a client written from the page alone enters, watches,
plays and misbehaves, and the server does what the page promises."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "integration", "cli")]

from case import main  # noqa: E402
from entering import Entering, Extending, Moving, Resuming  # noqa: E402,F401
from judging import Judging  # noqa: E402,F401
from misbehaving import Misbehaving  # noqa: E402,F401
from playing import Playing, Watching  # noqa: E402,F401
from vectors import Vectors  # noqa: E402,F401
from web import Hostile, WebPlaying  # noqa: E402,F401

if __name__ == "__main__":
    main()
