"""Modules of groups that the library does not hold: which they are, and making them.

``python -m symgen.demand TEXT FOLDER`` makes those of one group in a process of its own, as a compiler would: so a
program that solves such a group never loads SymPy.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symgen.errors import InputError, SymgenError, UnsolvedTypeError
from symgen.library.first_use import modules_on_first_use
from symgen.library.group_key import has_letters
from symgen.library.signatures import chain_of, check_signature, counted, tidy
from symgen.library.solutions import WITH_FRAMES
from symgen.third_party import derivations, named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def modules_on_demand(text: str) -> tuple[str, ...]:
    """Return the ids of the modules that solve a signature or key, several if it leaves open which freedom is driven.

    Raises
    ------
    UnsolvedTypeError
        It is no structural group, or no closed form is known for it: the message says why.
    InputError
        It is no signature, or a pair has not the freedom that is named.
    """
    from symgen.derive.planar.modules import planar_ids
    from symgen.derive.rings.modules import rings_of_signature
    from symgen.topology.findings.regularity import irregularity

    signature = tidy(text)
    check_signature(signature)
    rare = modules_on_first_use(signature)
    if rare:
        return rare
    planar = planar_ids(signature)
    if planar:
        return planar
    reason = irregularity(counted(signature))
    if reason is not None:
        raise UnsolvedTypeError(reason)
    chain = chain_of(signature)
    if chain is not None and chain.space == "spatial" and has_letters("spatial", [j.type for j in chain.joints]):
        return rings_of_signature(signature)
    iterated = ""
    if chain is None or {joint.type for joint in chain.joints} <= {*WITH_FRAMES[chain.space]}:
        iterated = ": such a group is solved by certified Newton (symgen library solve, symgen solve)"
    raise UnsolvedTypeError(f'"{signature}" has no closed form known to symgen{iterated}; nothing to generate')


def is_module_on_demand(module_id: str) -> bool:
    """Tell whether there is a module of this id that is derived on demand."""
    from symgen.derive.catalogue import rare_ids
    from symgen.derive.planar.modules import planar_by_id
    from symgen.derive.rings.modules import derive_by_id

    return module_id in rare_ids() or planar_by_id(module_id) is not None or derive_by_id(module_id) is not None


def can_be_derived(text: str) -> bool:
    """Tell whether a closed form can be derived for a signature or key."""
    from symgen.derive.planar.modules import has_kernel

    try:
        check_signature(tidy(text))
        if has_kernel(tidy(text)) or modules_on_demand(text):
            return True
    except (UnsolvedTypeError, InputError):
        pass
    if not derivations():
        return False
    from symgen.derivations.offered import offered_modules

    return bool(offered_modules(text)[0])


def make_modules(text: str, folder: Path, tell: Callable[[dict[str, Any]], None]) -> None:
    """Write the modules of a signature or key below `folder`; what they are is told before they are derived.

    What installed packages offer is asked where symgen has nothing, or by the name of its entry point.
    """
    if named(text):
        _make_offered(text, folder, tell, f"{text!r} is a derivation that an installed package offers")
        return
    try:
        modules = modules_on_demand(text)
    except (UnsolvedTypeError, InputError) as error:
        _make_offered(text, folder, tell, str(error))
        return
    tell({"modules": list(modules), "seconds": sum(map(_seconds, modules))})
    from symgen import pipeline

    pipeline.generate(modules, folder)


def _make_offered(text: str, folder: Path, tell: Callable[[dict[str, Any]], None], reason: str) -> None:
    """Write the module of an installed package that solves a group, or whose name is asked for; or tell why none does.

    A package that fails is named in `warnings`; it does not keep others from being asked.
    """
    if not derivations():
        tell({"modules": [], "reason": reason})
        return
    from symgen.derivations.offered import offered_modules
    from symgen.derivations.writing import write_own

    found, warnings = offered_modules(text)
    answer: dict[str, Any] = {"modules": [own.module.id for own in found], "seconds": 3 * len(found)}
    if not found:
        answer["reason"] = reason
    for own in found:
        try:
            write_own(own, folder)
        except InputError as error:
            answer["modules"].remove(own.module.id)
            warnings.append(str(error))
    tell({**answer, "warnings": warnings})


def _seconds(module_id: str) -> int:
    """Return about how long a module takes to derive, as measured on an idle machine [s]."""
    from symgen.derive.planar.modules import PREFIX as PLANAR
    from symgen.derive.planar.reading import readings, text_of
    from symgen.derive.rings.chain import chain_of_id
    from symgen.derive.rings.modules import PREFIX
    from symgen.derive.rings.plane import planar_cut
    from symgen.derive.rings.words import spherical_cut

    if module_id.startswith(PLANAR):
        text = text_of(module_id.removeprefix(PLANAR))
        return 3 * max(len(readings(text)) if text else 1, 1)
    if not module_id.startswith(PREFIX):  # a rare one with three arrangements
        return 15
    chain = chain_of_id(module_id.removeprefix(PREFIX))
    cut = chain is None or spherical_cut(chain) is not None or planar_cut(chain) is not None
    return 5 if cut or chain is None or chain.word.count("R") == 3 else 20  # pairs C and U alone: eliminants


def main(arguments: Sequence[str]) -> int:
    """Make the modules of a text in a folder.

    One line of standard output says first what will be made: ``{"modules": [id, ...], "seconds": about}``, or
    ``{"modules": [], "reason": why}``. Exit status 0 if that was done.
    """
    text, folder = arguments
    try:
        make_modules(text, Path(folder), lambda answer: print(json.dumps(answer), flush=True))
    except SymgenError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
