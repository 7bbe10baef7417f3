"""A view to the text of a file, and a manifest with the digests of the files beside it."""

from __future__ import annotations

import base64
import bz2
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symgen import __version__
from symgen.printers.c99 import Math, Precision, Written
from symgen.render.dynamics import DynamicsView
from symgen.render.elementary import MathHeaderView, math_header_view
from symgen.render.environment import render
from symgen.render.export import (
    CasadiView,
    EvaMathView,
    EvaView,
    ExampleView,
    FmuView,
    LibraryView,
    MatlabView,
    PackageView,
    RunView,
    SelfTestView,
    StepView,
)
from symgen.render.newton import EngineModuleView
from symgen.render.riccati import RiccatiView
from symgen.render.transfer import TransferView
from symgen.render.transfer_special import (
    SpecialEngineView,
)
from symgen.render.vectors import VectorHeaderView, vector_header_view
from symgen.render.views import (
    CModuleView,
    NumPyModuleView,
    RealHeaderView,
    SingleView,
    StatusHeaderView,
    single_view,
    status_views,
)
from symgen.resources import templates_folder

#: Headers that all modules share.
COMMON_HEADERS = (
    "symgen_status.h",
    "symgen_real.h",
    "symgen_vectors.h",
    "symgen_machines.h",
    "symgen_lanes.h",
    "symgen_math.h",
)
#: Ending of the file that holds the steps of a derivation.
STEPS = ".steps"


def math_header(math: Math) -> dict[str, str]:
    """Return the header of our own elementary functions by name; nothing where the machine's are called."""
    if math != "own":
        return {}
    return {"symgen_math.h": render_view("c99/symgen_math.h.j2", math_header_view(), "symgen_math.h")}


def plain_c(folder: str) -> dict[str, str]:
    """Return the C files of a folder of templates, which are the same in everything that is generated, by name."""
    place = templates_folder() / folder
    paths = (path for path in sorted(place.iterdir()) if path.suffix in (".c", ".h"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def lane_headers(view: CModuleView) -> dict[str, str]:
    """Return the headers by name of what lies side by side: rows of batches, zeros; nothing where neither does."""
    texts: dict[str, str] = {}
    if view.has_lanes or view.zero_finders:
        texts |= _plain_header("symgen_machines.h")
    if view.has_lanes:
        texts |= {**_real_header(), **_plain_header("symgen_lanes.h")}
    return texts


def _real_header() -> dict[str, str]:
    return _plain_header("symgen_real.h")


def _plain_header(name: str) -> dict[str, str]:
    return {name: render_view(f"c99/{name}.j2", RealHeaderView(()), name)}


def add_manifest(texts: dict[str, str], manifest: dict[str, Any]) -> None:
    """Add a module's manifest to its texts, and the steps of its derivation, which few ever read, in a file beside it.

    The manifest holds the digests of the other files, by which an edited one is told from our own.
    """
    name = manifest["id"]
    steps = manifest.get("derivation")
    if steps:
        texts[f"{name}{STEPS}"] = steps_text(steps)
        manifest = {**manifest, "derivation": f"{name}{STEPS}"}
    else:  # a chain that iterates has none of its own
        manifest = {key: value for key, value in manifest.items() if key != "derivation"}
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(texts.items())}
    texts[f"{name}.json"] = json_text({**manifest, "sha256": digests})


def steps_text(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return steps as text: a line of JSON each, compressed, in letters.

    bzip2 has one implementation and one result; others compress better, and differently with every version.
    """
    lines = "".join(json.dumps(step, separators=(",", ":")) + "\n" for step in steps)
    return base64.encodebytes(bz2.compress(lines.encode())).decode("ascii")


def json_text(tree: Mapping[str, Any]) -> str:
    """Return a JSON object with a line for each key, and for each entry of what is a list or an object there."""
    fields = [f"{json.dumps(key)}: {_entries(value)}" for key, value in tree.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _entries(value: Any) -> str:
    if isinstance(value, Mapping) and value:
        lines = [f" {json.dumps(key)}: {_rows(each)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + "\n}"
    return _rows(value)


def _rows(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return "[\n" + ",\n".join(f"  {json.dumps(each)}" for each in value) + "\n]"
    return json.dumps(value)


def c_texts(
    view_of: Callable[[Written, bool], CModuleView],
    template: str,
    request: str,
    precisions: Sequence[Precision],
    more: Sequence[tuple[str, str]] = (),
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the C files of a module, one text for both precisions, by name, and which belong to a precision.

    Parameters
    ----------
    view_of : the module's view in a precision, with or without bodies.
    template : of the text.
    request : what `symgen generate` was asked for.
    more : external names besides those of the functions, each with what it is called in float.
    """
    either = view_of("either", True)
    body = render_view(template, either, request)
    unit = either.header.removesuffix(".h") + ".c"
    texts = {
        "symgen_status.h": render_view(
            "c99/symgen_status.h.j2", StatusHeaderView((), status_views()), "symgen_status.h"
        ),
        **_real_header(),
    }
    if either.has_vectors:
        texts["symgen_vectors.h"] = render_view("c99/symgen_vectors.h.j2", vector_header_view(), "symgen_vectors.h")
    texts |= lane_headers(either)
    files: dict[str, list[str]] = {}
    if "double" in precisions:
        texts[unit] = body
        texts[either.header] = render_view("c99/module.h.j2", view_of("double", False), request)
        files["double"] = [unit, either.header]
    if "float" in precisions:
        view = view_of("float", False)
        own = view.header.removesuffix(".h") + ".c"
        shared = [unit, either.header] if "double" in precisions else []
        told_in = either.header if shared else ""
        single = single_view(view, told_in, f'#include "{unit}"' if shared else body.rstrip("\n"), more)
        texts[own] = render_view("c99/module_f32.c.j2", single, request)
        texts[view.header] = (
            render_view("c99/module_f32.h.j2", single, request)
            if shared
            else render_view("c99/module.h.j2", view, request)
        )
        files["float"] = [own, view.header, *shared]
    return texts, files


def render_view(
    template: str,
    view: CModuleView
    | EngineModuleView
    | NumPyModuleView
    | StatusHeaderView
    | DynamicsView
    | RiccatiView
    | TransferView
    | SpecialEngineView
    | SingleView
    | RealHeaderView
    | VectorHeaderView
    | MathHeaderView
    | StepView
    | SelfTestView
    | CasadiView
    | ExampleView
    | EvaView
    | EvaMathView
    | PackageView
    | RunView
    | FmuView
    | LibraryView
    | MatlabView,
    what: str,
) -> str:
    """Render a view under a preamble that carries its digest."""
    digest = hashlib.sha256(repr(view).encode()).hexdigest()[:16]
    preamble = (
        f"Generated by symgen {__version__} from templates/{template}, digest {digest}.",
        _made_by(what),
        "This file belongs to whoever generated it; its template is free of conditions (MIT-0).",
    )
    return render(template, replace(view, preamble=preamble))


def _made_by(what: str) -> str:
    """Say how a file is made again: by `symgen export ...`, or by `symgen generate` with what it is asked for."""
    if what in COMMON_HEADERS:
        return "Do not edit."
    return f"Do not edit; run: symgen {what if what.startswith('export ') else f'generate {what}'}"
