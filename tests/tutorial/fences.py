"""The fenced blocks of a page, for tests that run or compile its code."""
import re

_FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Fence:
    """```LANGUAGE WORDS, and the lines up to the next ```. `line` is the number of the first of them."""

    def __init__(self, text, match):
        self.language, self.words, self.body = match.group(1), match.group(2).strip(), match.group(3)
        self.line = text.count("\n", 0, match.start(3)) + 1


def fences(text):
    return [Fence(text, match) for match in _FENCE.finditer(text)]


def files(text):
    """name -> text of each block with `file=NAME`."""
    named = [(re.search(r"(?:^| )file=(\S+)", fence.words), fence.body) for fence in fences(text)]
    return {match.group(1): body for match, body in named if match}
