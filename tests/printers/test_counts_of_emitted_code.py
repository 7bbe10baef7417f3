"""The operations that are stated of a function are those that its text in C performs, counted sign by sign."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest

from symgen.derive.catalogue import derive_module
from symgen.pipeline.modules import (
    angles_checked,
    call_parts,
    call_stages,
    code_texts,
    lower_module,
    share_between_stages,
    to_be_read_in_c,
)
from symgen.printers.operations import count_operations

_FUNCTION = re.compile(r"^\w[^;{}()#]*?(\w+)\([^;{}()#]*\)\s*\{(.*?)^\}", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
#: Signs that are no operations on real numbers: places in arrays, fractions, bits of the branch.
_IDLE = re.compile(
    r"\b(?:vec[23]|quat)_at\([^()]*\)|\bput_(?:vec[23]|quat)\([^()]*\)|\(R\([\d.]+\)/R\([\d.]+\)\)|\bbranch(?:/\d+)? %"
)
#: Whether results are finite, and what is asked only where another check fails: neither counts.
_UNCOUNTED = re.compile(r"if \(!\((?:(?!if \().)*?<= REAL_MAX\)\)|^ {8,}if \(.*?\) \{ *$", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(r"[A-Za-z_]\w*|[\d.]+(?:e[-+]?\d+)?|\S")
_SIGNS = {"+": "add", "-": "add", "*": "mul", "/": "div"}
_CALLED = {
    "real_sqrt": Counter(sqrt=1),
    **{name: Counter(trig=1) for name in ("own_sin", "own_cos", "own_atan2", "real_exp", "real_log")},
    "own_turn_by": Counter(trig=2),
}


def _functions(text: str) -> dict[str, str]:
    plain = _COMMENT.sub("", text)
    return {name: _IDLE.sub("0", _UNCOUNTED.sub("0", body)) for name, body in _FUNCTION.findall(plain)}


def _operations(name: str, functions: Mapping[str, str]) -> Counter[str]:
    """Count what a function does, and those that it calls."""
    counts: Counter[str] = Counter()
    before = ""
    tokens = _TOKEN.findall(functions[name])
    for token, behind in zip(tokens, [*tokens[1:], ""], strict=True):
        if token in _SIGNS and before != "return" and re.fullmatch(r"[\w.]+|[)\]]", before):
            counts[_SIGNS[token]] += 1
        elif token in _CALLED:
            counts += _CALLED[token]
        elif token in functions and behind in "()":  # WITHIN(outside, inside)(...) calls one of two
            counts += _operations(token, functions)
        before = token
    return counts


@pytest.mark.parametrize("module", ["dyad_prp", "slot_pl", "loop_rss", "driven_s_3d", "dyad_rrr", "driven_u_3d"])
def test_counts_are_those_of_the_emitted_functions(module: str) -> None:
    derivation = derive_module(module)
    shared = angles_checked(share_between_stages(lower_module(derivation).routines), "own")
    routines = to_be_read_in_c(call_stages(call_parts(shared), for_numpy=False))
    texts, _, _ = code_texts(derivation, module, (), routines, ("double",), ("c",))
    functions = _functions(texts["symgen_vectors.h"] + texts[f"{module}.c"])
    for routine in routines:
        stated = count_operations(routine)
        found = _operations(f"solve_{routine.name}", functions)
        assert {**dict.fromkeys(stated, 0), **found} == stated, routine.name
