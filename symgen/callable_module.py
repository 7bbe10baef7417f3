"""Packages that are public functions too: ``symgen.solve(mechanism, times)`` calls the package ``symgen.solve``.

Importing any module of a package binds the package's name in ``symgen``, over a function of that name; so the package
itself can be called, and signature and help are those of its function.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar


class CallableModule(ModuleType):
    """The type of such a package; a subclass says how to get the function, which nothing imports before it is used."""

    find: ClassVar[Callable[[], Callable[..., Any]]]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - that of the function
        return type(self).find()(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(type(self).find())


def _documentation(package: CallableModule) -> str:
    function = type(package).find()
    first, _, rest = (inspect.getdoc(function) or "").partition("\n")
    return f"{first}\n\n{package.__name__}{inspect.signature(function)}\n{rest}"


def make_callable(package: str, find: Callable[[], Callable[..., Any]]) -> None:
    """Have calls, signature and help of a package be those of the function that `find` imports and returns."""
    members = {"find": staticmethod(find), "__doc__": property(_documentation)}
    sys.modules[package].__class__ = type("CallableModule", (CallableModule,), members)
