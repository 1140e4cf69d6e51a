"""A terminal: tmux provides it and returns the screen's content."""
import itertools
import os
import re
import subprocess
import time

from case import TIMEOUT_S

COLUMNS, ROWS = 80, 24


class Terminal:
    """A shell in the window of its own tmux server."""
    numbers = itertools.count()

    def __init__(self, folder, columns=COLUMNS, rows=ROWS):
        self.socket = os.path.join(folder, f"tmux-{next(self.numbers)}")
        self.folder = folder
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", folder,
                  "env", "-i", f"PATH={os.environ['PATH']}", "TERM=screen", "PS1=", "sh")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *arguments],
                              check=True, capture_output=True, text=True).stdout

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False,
                       capture_output=True)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def screen(self):
        return self.tmux("capture-pane", "-p").split("\n")[:-1]

    def asks(self, name):
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def wait(self, pattern):
        """Waits until the screen shows the pattern; returns the match.

        ncurses writes only the cells that change, so a screen between two reads of tmux can show
        half of an old name and half of a new one. A match counts when the next look has it too.
        """
        end = time.monotonic() + TIMEOUT_S
        before = None
        while True:
            text = "\n".join(self.screen())
            found = re.search(pattern, text, re.MULTILINE)
            if found and found.group() == before:
                return found
            before = found.group() if found else None
            if time.monotonic() > end:
                raise AssertionError(f"the screen never shows {pattern}:\n{text}")
            time.sleep(0.02)
