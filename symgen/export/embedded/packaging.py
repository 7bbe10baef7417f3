"""What build systems read of an export: what it says of the code it says once."""

from __future__ import annotations

import json
from collections.abc import Sequence

from symgen.pipeline.texts import render_view
from symgen.render.export import PackageView


def packages(
    packagings: Sequence[str], view: PackageView, headers: Sequence[str], keywords: str, request: str
) -> dict[str, str]:
    """Return the files of packagings by path.

    Parameters
    ----------
    packagings : of `PACKAGINGS`.
    headers : in ``include/``.
    keywords : by which the export is found, separated by commas.
    request : the command behind ``symgen`` that makes it again.
    """
    files: dict[str, str] = {}
    if "cmake" in packagings:
        files["CMakeLists.txt"] = render_view("export/embedded/CMakeLists.txt.j2", view, request)
    if "platformio" in packagings:
        entries = {
            "name": view.prefix, "version": view.version, "description": view.title, "keywords": keywords,
            "license": "MIT-0", "frameworks": "*", "platforms": "*", "headers": f"{view.prefix}.h",
            "build": {"srcDir": "src", "includeDir": "include", "flags": ["-I include"]},
        }  # fmt: skip
        files["library.json"] = json.dumps(entries, indent=2) + "\n"
    if "arduino" in packagings:
        files["library.properties"] = render_view("export/embedded/library.properties.j2", view, request)
        for name in headers:  # an Arduino library has its headers in src
            files[f"src/{name}"] = (
                f'/* For the Arduino IDE, which looks for headers here. */\n#include "../include/{name}"\n'
            )
    if "zephyr" in packagings:
        files["zephyr/module.yml"] = "build:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n"
        files["zephyr/CMakeLists.txt"] = render_view("export/embedded/zephyr.cmake.j2", view, request)
        files["zephyr/Kconfig"] = render_view("export/embedded/Kconfig.j2", view, request)
    return files
