"""Where a derivation of somebody's own comes from: a file that a user names, an entry point of an installed package.

Loading one runs it. So it is loaded only if its name was written on the command line or in Python: no text of a
mechanism file or a claims file comes here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from symgen.derivations.checking import checked
from symgen.derive.catalogue import add_finder, register
from symgen.derive.module import ModuleDerivation
from symgen.errors import DerivationError, InputError, IRError, SymgenError
from symgen.model.nearest import did_you_mean
from symgen.third_party import Offer, named

#: What a file is asked for if no name is given.
DEFAULT = "derive"


@dataclass(frozen=True)
class Own:
    """A derivation of somebody's own.

    Parameters
    ----------
    request : what `symgen generate` is asked for to make it again; without folders, so that files are the same
        wherever they are made.
    where : where it is, for messages.
    origin : the same as data, for the manifest.
    """

    module: ModuleDerivation
    request: str
    where: str
    origin: dict[str, str] = field(hash=False)
    file: Path | None = None


def is_file(text: str) -> bool:
    """Tell whether a text means a Python file, ``FILE.py`` or ``FILE.py:NAME``."""
    return _split(text) is not None


def _split(text: str) -> tuple[str, str] | None:
    if text.endswith(".py"):
        return text, DEFAULT
    file, _, name = text.rpartition(":")
    return (file, name) if file.endswith(".py") else None


def is_offered(text: str) -> bool:
    """Tell whether an installed package offers a derivation of this name."""
    return bool(named(text))


def load(text: str) -> Own:
    """Load ``FILE.py``, ``FILE.py:NAME`` or the name of an entry point, and make it known to this process.

    Raises
    ------
    InputError
        There is no such file or name, it does not run, or what it gives is no module: says where and why.
    """
    split = _split(text)
    found = _from_package(text) if split is None else _from_file(*split)
    register(found.module)
    return found


def find_offered() -> None:
    """Let the catalogue of derivations find by id what installed packages offer."""
    add_finder(_offered)


def _offered(module_id: str) -> ModuleDerivation | None:
    return load(module_id).module if named(module_id) else None


def _from_file(file: str, name: str) -> Own:
    path = Path(file)
    if not name.isidentifier():
        raise InputError(f"{file}:{name}: after the colon comes the name of a function in {file}; found {name!r}")
    if not path.is_file():
        raise InputError(f"{file}: there is no such file")
    request, where = f"{path.name}:{name}", f"{file}:{name}"
    with blamed(where, path):
        holder = _run(path)
        if not hasattr(holder, name):
            known = sorted(each for each, value in vars(holder).items() if callable(value) and _is_from(value, holder))
            listed = f"; it has {', '.join(known)}" if known else ""
            raise InputError(f"{where}: there is no {name!r}{did_you_mean(name, known)}{listed}")
        module = _called(getattr(holder, name), where)
        return Own(checked(module, where), request, where, {"file": path.name, "name": name}, path)


def _is_from(value: Any, holder: Any) -> bool:
    return bool(getattr(value, "__module__", None) == holder.__name__)


def _run(path: Path) -> Any:
    """Run a file as a module of a name of its own; modules beside it can be imported."""
    resolved = path.resolve()
    name = f"symgen_own_{hashlib.sha256(str(resolved).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: Python cannot load it")
    folder = str(resolved.parent)
    if folder not in sys.path:
        sys.path.append(folder)  # last: nothing in it takes the place of what is installed
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing of ours is left beside it
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = before
    return module


def _called(value: Any, where: str) -> Any:
    """Return the module that a function without arguments returns, or that a name stands for."""
    if isinstance(value, ModuleDerivation) or not callable(value):
        return value
    return value()


def _from_package(name: str) -> Own:
    found = named(name)
    if not found:
        raise InputError(f"no installed package offers a derivation {name!r}")
    if len(found) > 1:
        listed = "; ".join(offer.text for offer in found)
        raise InputError(f"{name!r} is offered more than once: {listed}. Uninstall one of them")
    return from_offer(found[0])


def from_offer(offer: Offer) -> Own:
    """Load what an entry point names; the id of its module must be the name of the entry point.

    Raises
    ------
    InputError
        It cannot be loaded: names package and entry point.
    """
    with blamed(offer.text, None):
        value = EntryPoint(name=offer.name, value=offer.value, group=offer.group).load()
        module = checked(_called(value, offer.text), offer.text)
        if module.id != offer.name:
            raise InputError(
                f"its module is called {module.id!r}; entry point and id have the same name, so that it is found"
            )
        origin = {"package": offer.package, "group": offer.group, "name": offer.name}
        return Own(module, offer.name, offer.text, origin)


@contextmanager
def blamed(where: str, file: Path | None) -> Iterator[None]:
    """Say of whatever goes wrong inside where it is from, with the line of the user's file.

    Raises
    ------
    InputError
        In place of any other error.
    """
    try:
        yield
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}" if error.filename else where
        if file is not None and error.filename and Path(error.filename) == file.resolve():
            place = f"{file}:{error.lineno}"
        raise InputError(f"{_headed(where, place)}: {error.msg}") from error
    except (DerivationError, IRError, InputError) as error:
        place = _line(error, file) or where
        text = str(error)
        raise InputError(text if text.startswith(where) else f"{_headed(where, place)}: {text}") from error
    except SymgenError:
        raise
    except (Exception, SystemExit) as error:
        place = _line(error, file) or where
        words = f"{type(error).__name__}: {_reason(error)}"
        raise InputError(f"{_headed(where, place)}: {words}; SYMGEN_TRACEBACK=1 shows the traceback") from error


#: What Python and SymPy say where an expression is taken for a number -> what is meant.
_FUNCTIONS = "functions of expressions are sqrt, sin, cos and atan2 of symgen.derivations, not those of math or numpy"
_HINTS = {
    "Cannot convert expression to float": _FUNCTIONS,
    "loop of ufunc does not support": _FUNCTIONS,
    "must be real number, not": _FUNCTIONS,
    "cannot determine truth value of Relational": "an expression has no value yet; d.guard(...) compares when it runs",
    "SympifyError": "functions take scalar expressions, not vectors",
}


def _reason(error: BaseException) -> str:
    """Return what an error of Python's says, with the nearest name or the likely fix."""
    text = str(error).splitlines()[0] if str(error) else "no reason given"
    if isinstance(error, AttributeError) and error.name is not None and error.obj is not None:
        names = [name for name in dir(error.obj) if not name.startswith("_")]
        owner = error.obj.__name__ if isinstance(error.obj, type) else f"a {type(error.obj).__name__}"
        return f"{owner} has no {error.name!r}{did_you_mean(error.name, names)}"
    if isinstance(error, NameError) and error.name is not None:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        names = [name for frame in frames[-1:] for name in (*frame.f_locals, *frame.f_globals)]
        return text + did_you_mean(error.name, [name for name in names if not name.startswith("_")])
    hint = next((hint for begin, hint in _HINTS.items() if text.startswith(begin)), None)
    return text if hint is None else f"{text}; {hint}"


def _headed(where: str, place: str) -> str:
    return place if place.split(":")[0] == where.split(":")[0] else f"{where}: {place}"


def _line(error: BaseException, file: Path | None) -> str:
    """Return file and line of the innermost call in the user's file, or in one beside it; "" if there is none."""
    if file is None:
        return ""
    folder = file.resolve().parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path == file.resolve():
            return f"{file}:{frame.lineno}"
        if path.parent == folder:
            return f"{path.name}:{frame.lineno}"
    return ""
