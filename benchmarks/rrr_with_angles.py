"""The R.R.R kernel with both link angles, which the library's kernel leaves to its group: for comparisons only."""

from __future__ import annotations

from symgen.algebra import atan2, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.module import ModuleDerivation
from symgen.derive.planar.dyad_rrr import derive_kernel
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.pipeline.modules import LoweredModule, module_texts

MODULE = "rrr_with_angles"


def derive_with_angles() -> Derivation:
    """Derive the dyad on world points, then the angles of both links against the world's x axis."""
    d = derive_kernel()
    for number, link in ((1, "u"), (2, "w")):
        x, y = symbol(f"{link}_x"), symbol(f"{link}_y")
        angle = d.scalar(f"phi_{number}", atan2(y, x), f"angle of link {number}", "rad")
        d.output(f"phi_{number}", angle, meaning=f"angle of link {number}", unit="rad")
    return d


def generate_texts() -> dict[str, str]:
    """Return the module's files by name, made by the pipeline's own stages."""
    kernel = derive_with_angles()
    module = ModuleDerivation(
        id=MODULE,
        title="R.R.R dyad with the angles of its links",
        space="planar",
        degree=2,
        source=kernel.source,
        summary="The kernel of `dyad_rrr`, and the angles of both links.",
        kernel=kernel,
        arrange=lambda position: (),
    )
    routine = run_passes(lower(kernel, "all"))
    return module_texts(LoweredModule(module, (), (routine,)), "benchmarks/rrr_with_angles.py", precisions=("double",))
