"""docs/engine-tables.md says of every table what the schema says, and the schema is what C lays out."""

from __future__ import annotations

import subprocess
from pathlib import Path

from oracle.compilers import need

from symgen.engine_tables import LISTS, SCHEMAS, TableSchema


def section(schema: TableSchema) -> str:
    lines = [f"### `{schema.name}[{schema.rows}]`", "", f"`{schema.struct}`: {schema.meaning}.", ""]
    lines += ["| column | type | meaning | unit |", "|---|---|---|---|"]
    for column in schema.columns:
        kind = f"{column.kind}[{column.size}]" if column.size > 1 else column.kind
        lines.append(f"| `{column.name}` | `{kind}` | {column.meaning} | {column.unit} |")
    return "\n".join([*lines, ""])


def lists() -> str:
    lines = ["| table | type | meaning |", "|---|---|---|"]
    lines += [f"| `{each.name}{each.shape}` | `{each.kind}` | {each.meaning} |" for each in LISTS]
    return "\n".join([*lines, ""])


def test_the_page_says_what_the_schema_says(repository: Path) -> None:
    page = (repository / "docs" / "engine-tables.md").read_text(encoding="utf-8")
    for schema in SCHEMAS:
        assert section(schema) in page, f"docs/engine-tables.md lacks this, or says it otherwise:\n{section(schema)}"
    assert page.count("### `") == len(SCHEMAS)
    assert lists() in page, f"docs/engine-tables.md lacks this, or says it otherwise:\n{lists()}"


def test_rows_are_laid_out_as_a_compiler_does(repository: Path, tmp_path: Path) -> None:
    """Offsets of all members and sizes of rows, asked from a compiler."""
    prints = [
        f'    printf("%d %d\\n", (int)offsetof({schema.struct}, {column.name}), (int)sizeof({schema.struct}));'
        for schema in SCHEMAS
        for column in schema.columns
    ]
    source = tmp_path / "layout.c"
    source.write_text(
        "\n".join(
            ["#include <stddef.h>", "#include <stdio.h>", '#include "dynamics_tables.h"', "int main(void)", "{",
             *prints, "    return 0;", "}", ""]
        )
    )  # fmt: skip
    program = tmp_path / "layout"
    folder = repository / "generated" / "dynamics"
    subprocess.run([need("gcc"), "-std=c99", f"-I{folder}", str(source), "-o", str(program)], check=True)
    said = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split()
    expected = [
        str(number)
        for schema in SCHEMAS
        for column in schema.columns
        for number in (schema.dtype.fields[column.name][1], schema.dtype.itemsize)
    ]
    assert said == expected
