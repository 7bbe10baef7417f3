"""Certificates: what was proved of a generated module, and what its code gave, beside the sources.

A certificate is written once, by deriving the module again: every function is compared with its exact value to 50
digits. Whoever has an installation can verify it without deriving anything: files by their digests, functions by the
bits of their results, which are the same on every machine (`symgen.certificates.probe`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
import numpy as np

from symgen.certificates.kernels import KernelProbe
from symgen.certificates.place import certificate_name
from symgen.certificates.probe import Probe, ulps
from symgen.errors import InputError
from symgen.library.manifest import Function, ManifestPort
from symgen.resources import Place
from symgen.status import Status

AnyProbe: TypeAlias = Probe | KernelProbe
SCHEMA = "symgen/certificate/1"
DIGITS = 50
#: Points at which a function is compared with its exact value; searches take seconds for each.
_EXACT = 6
#: Spacings of numbers between C and exact values, beyond which it is no rounding: 2e-10, at points of order one.
_FARTHEST = 1e6
#: NumPy has sines and cosines of its own, which differ from machine to machine: its results by up to this factor more,
#: and one status.
_OF_NUMPY = 16


@dataclass(frozen=True)
class Fault:
    """What is not as it was: a file, or a function, and in which way."""

    where: str
    what: str


def certify(probe: AnyProbe) -> str:
    """Derive a module or an engine again, compare its code with exact values, and return its certificate as text.

    Raises
    ------
    InputError
        The files are not what the derivation gives, whose claims are proved anew; or a function is far from its exact
        values, or solves none of its points.
    """
    _check_generated(probe)
    routines = probe.routines()
    functions = {
        function.name: {
            **probe.measure(function),
            **_against_exact(probe, function, routines),
            "operations": function.operations,
        }
        for function in probe.functions
    }
    head = {
        "schema": SCHEMA,
        "module": probe.name,
        "manifest": _sha256(probe.folder / f"{probe.name}.json"),
        "proofs": probe.proofs,
    }
    for name, found in functions.items():
        _check_near(probe.name, name, found)
    return _text(head, functions)


def _check_generated(probe: AnyProbe) -> None:
    """Refuse files that are not, byte for byte, what deriving and proving again gives; the manifest has the proofs."""
    faults = list(verify_files(probe.folder, probe.name))
    for file, text in probe.texts().items():
        place = probe.folder / file
        if not faults and place.is_file() and place.read_bytes() != text.encode():
            faults.append(Fault(file, "is not what its derivation gives"))
    if faults:
        raise InputError(f"{probe.name}: {faults[0].where} {faults[0].what}; generate it again, then certify it")


def _check_near(module: str, name: str, found: Mapping[str, Any]) -> None:
    exact = found["exact"]
    if not exact["points"]:
        raise InputError(f"{module}: {name} solves none of its points, of order one: nothing can be said of it")
    if exact["refused"]:
        raise InputError(f"{module}: {name} gives a result where its derivation has none")
    if exact["ulp"] > _FARTHEST or found.get("numpy_statuses", 0) > 1:
        raise InputError(
            f"{module}: {name} is {exact['ulp']:g} spacings of numbers from the exact value, of NumPy "
            f"{found.get('numpy_statuses', 0)} statuses differ: this is not rounding"
        )


def _text(head: Mapping[str, Any], functions: Mapping[str, Any]) -> str:
    """Return a certificate with a line for each function."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in functions.items())
    text = "{\n" + "\n".join(lines) + '\n"functions": {\n' + rows + "\n},\n"
    return f'{text}"sha256": "{_digest_of(text)}"\n}}\n'


def _digest_of(text: str) -> str:
    """Return the digest that stands behind all else in a certificate."""
    return hashlib.sha256(text.encode()).hexdigest()


def _against_exact(probe: AnyProbe, function: Function, routines: Mapping[str, Any]) -> dict[str, Any]:
    """Compare C in double with exact values, at some points that are solved."""
    rows = probe.run(function, probe.points(function))
    worst, compared, refused = 0.0, 0, 0
    for k in np.flatnonzero(rows.status == Status.OK)[:_EXACT]:
        results = _exact_results(probe, function, routines, int(k))
        if results is None:
            refused += 1
            continue
        exact = [np.array([results[port.name]], dtype=float) for port in function.outputs]
        found = [array[k : k + 1].reshape(e.shape) for array, e in zip(rows.outputs, exact, strict=True)]
        worst = max(worst, ulps(found, exact, np.array([True])))
        compared += 1
    return {"exact": {"points": compared, "ulp": float(f"{worst:.2g}"), "refused": refused}}


def _exact_results(probe: AnyProbe, function: Function, routines: Mapping[str, Any], row: int) -> dict[str, Any] | None:
    """Return what a function gives at a point to 50 digits, or None if it refuses.

    What is of unit length in double is so to 50 digits here; solved positions are those that solve the point exactly.
    """
    from symgen.ir.evaluate import evaluate

    arrays = probe.points(function)
    first = probe.solved_first(function)
    with mpmath.workdps(DIGITS):
        given = {p.name: _exactly(array[row], p) for p, array in zip(function.inputs, arrays, strict=True)}
        if first is not None:
            solver, place = first
            solved = _exact_results(probe, solver, routines, int(place[row])) if row < len(place) else None
            if solved is None:
                return None
            shapes = {port.name: port.shape for port in function.inputs}
            given |= {n: v if shapes[n] else v[0] for n, v in solved.items() if n in shapes}
        status, results = evaluate(routines[function.name], given, digits=DIGITS)
    return results if status == Status.OK else None


def _exactly(value: Any, port: ManifestPort) -> Any:
    if port.kind == "int":
        return int(value)
    if not port.shape:
        return mpmath.mpf(float(value))
    numbers = [mpmath.mpf(float(v)) for v in value]
    first = 3 if port.range == "q unit" else 0
    if port.range in ("unit", "q unit"):
        size = mpmath.sqrt(mpmath.fsum(v * v for v in numbers[first:]))
        numbers[first:] = [v / size for v in numbers[first:]]
    return numbers


def figures_of(probe: AnyProbe) -> Mapping[str, Any]:
    """Return what a certificate says of the functions; nothing if there is none that can be read."""
    try:
        text = (probe.folder / certificate_name(probe.name)).read_text(encoding="utf-8")
        return dict(json.loads(text)["functions"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def verify(probe: AnyProbe) -> Iterator[Fault]:
    """Yield what of a module or an engine is not as its certificate says; nothing if all is."""
    place = probe.folder / certificate_name(probe.name)
    if not place.is_file():
        yield Fault(place.name, "is missing")
        return
    try:
        text = place.read_text(encoding="utf-8")
        tree = json.loads(text)
        schema, functions, manifest = tree["schema"], dict(tree["functions"]), tree["manifest"]
    except KeyError as error:
        yield Fault(place.name, f"cannot be read: the key {error} is missing")
        return
    except (ValueError, TypeError) as error:
        yield Fault(place.name, f"cannot be read: {error}")
        return
    if schema != SCHEMA:
        yield Fault(place.name, f"has the schema {schema!r}, not {SCHEMA!r}")
        return
    before, _, digest = text.rpartition('"sha256": "')
    if digest != f'{_digest_of(before)}"\n}}\n':
        yield Fault(place.name, "was changed after it was written")
        return
    if _sha256(probe.folder / f"{probe.name}.json") != manifest:
        yield Fault(f"{probe.name}.json", "is not the file that was certified")
    faults = list(verify_files(probe.folder, probe.name))
    yield from faults
    if faults:
        return  # what these files would give is not asked
    for function in probe.functions:
        if function.name not in functions:
            yield Fault(function.name, "is not in the certificate")
            continue
        found = probe.measure(function)
        yield from (Fault(function.name, what) for what in _differences(functions[function.name], found))


def _differences(certified: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    for key in ("statuses", "branches"):
        if certified.get(key) != found.get(key):
            yield f"{key}: {found.get(key)}, certified {certified.get(key)}"
    for precision, digest in found["bits"].items():
        if dict(certified.get("bits", {})).get(precision) != digest:
            yield f"other bits in {precision}"
    if "numpy_ulp" in found:
        most = _OF_NUMPY * int(certified.get("numpy_ulp", 0))
        if found["numpy_ulp"] > most or found["numpy_statuses"] > int(certified.get("numpy_statuses", 0)) + 1:
            yield f"NumPy differs by {found['numpy_ulp']} ulp and {found['numpy_statuses']} statuses from C"


def verify_files(folder: Place, name: str) -> Iterator[Fault]:
    """Yield the files of a generated folder that are not as its manifest says."""
    try:
        tree = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        digests = dict(tree["sha256"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Fault(f"{name}.json", f"cannot be read: {error}")
        return
    for file, digest in digests.items():
        place = folder / file
        if not place.is_file():
            yield Fault(file, "is missing")
        elif _sha256(place) != digest:
            yield Fault(file, "was changed after it was generated")
    known = {*digests, f"{name}.json", certificate_name(name)}
    for inside in sorted(each.name for each in folder.iterdir()):
        if inside not in known and inside != "__pycache__":
            yield Fault(inside, "is none of the module's files")


def _sha256(place: Place) -> str:
    return hashlib.sha256(place.read_bytes()).hexdigest()
