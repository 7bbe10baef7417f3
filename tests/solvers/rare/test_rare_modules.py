"""Modules that are made on first use; collected only where SYMGEN_TESTED_MODULES names them: see `oracle.modules`."""

from __future__ import annotations

from oracle.modules import MODULES, manifest

from symgen.library.first_use import ON_FIRST_USE


def test_all_of_them_are_there_with_the_keys_of_the_table() -> None:
    assert {*MODULES} == {*ON_FIRST_USE}
    for module, keys in ON_FIRST_USE.items():
        assert tuple(each["key"] for each in manifest(module)["arrangements"]) == keys
