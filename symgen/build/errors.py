"""Ways in which compiling or caching can fail; all are `symgen.errors.BuildError`.

BuildError
├── NoCompilerError       no C compiler, no Python.h, or no cffi to write the wrapper
├── DeclarationError      the C declarations in the manifest cannot be read, or differ from the header
├── CompilerFailedError   the compiler ran and refused, or did not come back
├── UnsafeCacheError      the cache folder could have been written by somebody else: it holds code that would be run
└── LoadError             the shared object is sound but this Python cannot load it
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from symgen.errors import BuildError


class NoCompilerError(BuildError):
    """Something needed to compile is not installed; the message says what to install or set."""


class DeclarationError(BuildError):
    """The C declarations of a module are not what cffi or the compiled header says."""


class UnsafeCacheError(BuildError):
    """The cache folder belongs to another user or can be written by others."""


class LoadError(BuildError):
    """The compiled module could not be loaded."""


class CompilerFailedError(BuildError):
    """The compiler refused the source.

    Parameters
    ----------
    command : the argument list that was run.
    output : what the compiler said; the message keeps its first lines.
    """

    LINES = 12

    def __init__(self, command: Sequence[str], output: str) -> None:
        self.command, self.output = tuple(command), output
        lines = output.strip().splitlines() or ["(the compiler said nothing)"]
        left = [f"... {len(lines) - self.LINES} more lines"] if len(lines) > self.LINES else []
        text = "\n".join(["  " + line for line in lines[: self.LINES] + left])
        super().__init__(f"the compiler failed: {shlex.join(self.command)}\n{text}")

    def __reduce__(self) -> tuple[type[CompilerFailedError], tuple[tuple[str, ...], str]]:
        """Return how to make the error again: it passes between processes."""
        return type(self), (self.command, self.output)
