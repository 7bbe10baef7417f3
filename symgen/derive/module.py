"""What a family of derivations hands to the pipeline: a kernel and its re-rooted arrangements, with proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from symgen.derive.derivation import Derivation
from symgen.ir.nodes import Routine


def overview(docstring: str | None) -> tuple[str, ...]:
    """Return the explanation of a derivation, from its file's docstring without the title and the source."""
    body = (docstring or "").partition("\n\n")[2]
    text = body.partition("\nSource:")[0].strip("\n")
    return tuple(line.rstrip() for line in text.split("\n"))


@dataclass(frozen=True)
class JointSlot:
    """One joint of an arrangement, in the direction in which its coordinates count.

    `free` and `driven` name the joint's freedoms; ports are named after the joint and its bodies.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    free: tuple[str, ...]
    driven: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The joint in a signature: one star for each driven freedom."""
        return self.type + "*" * len(self.driven)

    @property
    def key_text(self) -> str:
        """The joint in a key: driven freedoms by name, unless all are driven."""
        if not self.driven or not self.free:
            return self.text
        return f"{self.type}*{'+'.join(self.driven)}"


@dataclass(frozen=True)
class Arrangement:
    """One reading of the joints along the chain from the first known body to the last."""

    id: str
    space: Literal["spatial", "planar"]
    known: tuple[str, ...]
    bodies: tuple[str, ...]
    joints: tuple[JointSlot, ...]
    derivation: Derivation

    @property
    def signature(self) -> str:
        """Readable signature, such as `R.S.U 3D`."""
        return ".".join(j.text for j in self.joints) + self._suffix

    @property
    def key(self) -> str:
        """Signature that also says which freedom is driven."""
        return ".".join(j.key_text for j in self.joints) + self._suffix

    @property
    def _suffix(self) -> str:
        return " 3D" if self.space == "spatial" else " 2D"


@dataclass(frozen=True)
class ModuleDerivation:
    """A module: one multiset of joints.

    `degree` is the number of assembly modes over the complex numbers. `arrange` derives the arrangements on the
    kernel's position routine, which they call; so the pipeline lowers the kernel first.
    """

    id: str
    title: str
    space: Literal["spatial", "planar"]
    degree: int
    source: str
    summary: tuple[str, ...]
    kernel: Derivation
    arrange: Callable[[Routine], tuple[Arrangement, ...]]
    method: str = "closed form"
