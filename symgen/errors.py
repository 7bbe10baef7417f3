"""Every error symgen raises on purpose.

SymgenError
├── InputError          what the user gave is wrong: file, field, found, allowed, likely fix   (exit 2)
│   └── MechanismError  ... in a mechanism, instance or claims file
├── StructureError      the mechanism is not kinematically determined                          (exit 1)
├── UnsolvedTypeError   no solved type has this signature                                      (exit 1)
├── SolveError          a solved type was called and said something other than OK              (exit 1)
├── AccuracyError       a method would give too few digits; another one is named               (exit 1)
├── DerivationError     a derivation breaks its own rules (a fault of ours)                    (exit 3)
├── IRError             a routine breaks an invariant (a fault of ours)                        (exit 3)
├── RenderError         a template and its view disagree (a fault of ours)                     (exit 3)
└── BuildError          compiler or cache could not do their work                              (exit 2)
"""

from __future__ import annotations

from symgen.status import MEANING, Status


class SymgenError(Exception):
    """Base of all errors raised on purpose; `exit_status` is what the command line returns for it."""

    exit_status = 3


class InputError(SymgenError):
    """What the user gave is wrong; the message says where, what was found, what is allowed and the likely fix."""

    exit_status = 2


class MechanismError(InputError):
    """A mechanism, instance or claims file is wrong.

    Parameters
    ----------
    message : what was found and what is allowed, with the nearest allowed name.
    file : the file's name as the user gave it, or None for a dictionary.
    field : dotted path of the field, such as ``joints.A.type``.
    """

    def __init__(self, message: str, *, file: str | None = None, field: str | None = None) -> None:
        self.file, self.field, self.reason = file, field, message
        where = ": ".join(part for part in (file, field) if part)
        super().__init__(f"{where}: {message}" if where else message)


class StructureError(SymgenError):
    """The mechanism has no complete sequence of structural groups."""

    exit_status = 1


class UnsolvedTypeError(SymgenError):
    """No solved type of the library has this signature."""

    exit_status = 1


class SolveError(SymgenError):
    """A solver returned a status other than OK.

    Parameters
    ----------
    message : what happened, where.
    status : what the solver said.
    advice : what to do, for whoever asked for the solution; others have their own.
    meaning : what the status means there, if the solver is not symgen's and says so.
    """

    exit_status = 1

    def __init__(self, message: str, status: Status, advice: str = "", meaning: str = "") -> None:
        self.status, self.facts, self.advice, self.meaning = status, message, advice, meaning or MEANING[status]
        before = "\n" if "\n" in message else "; "
        more = before + advice if advice else ""
        super().__init__(f"{message}{more}: {status.name} ({self.meaning})")

    def __reduce__(self) -> tuple[type[SolveError], tuple[str, Status, str, str]]:
        """Return how to make the error again: it passes between processes."""
        return type(self), (self.facts, self.status, self.advice, self.meaning)


class AccuracyError(SymgenError):
    """A method refuses: its answer would have too few digits. The message names the method to use instead."""

    exit_status = 1


class DerivationError(SymgenError):
    """A derivation breaks its own rules: unknown symbol, name used twice, proof that does not hold."""


class IRError(SymgenError):
    """A routine breaks an invariant of the intermediate representation."""


class RenderError(SymgenError):
    """A template asked for what its view does not have."""


class BuildError(SymgenError):
    """The compiler or the cache could not do its work."""

    exit_status = 2
