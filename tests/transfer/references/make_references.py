"""Write the reference motions: ``python tests/transfer/references/make_references.py [NAME...]``.

The oracle's accelerations (equations of the joints' definitions, least-norm factorisation), extrapolated midpoint rule,
joints closed after every step. Kept because they take minutes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402
from transfer.oracle_motion import Motion  # noqa: E402
from transfer.spec_systems import chain3_ball  # noqa: E402

import symgen  # noqa: E402


def example(name: str) -> Any:
    """Return an example's mechanism."""
    return symgen.load(ROOT / "examples" / "transfer" / name / "mechanism.toml")


#: Name -> mechanism, times, tolerance of a step.
CASES: dict[str, tuple[Any, Any, float]] = {
    "mixed24": (lambda: example("mixed24"), np.linspace(0.0, 1.0, 11), 1e-11),
    "planar_mixed24": (lambda: example("planar_mixed24"), np.linspace(0.0, 1.0, 11), 1e-11),
    "chain3_ball": (chain3_ball, np.linspace(0.0, 2.0, 11), 1e-11),
    "large250": (lambda: example("large250"), np.linspace(0.0, 0.25, 2), 1e-9),
}


def main() -> None:
    """Write the chosen references, or all."""
    for name in sys.argv[1:] or CASES:
        make, times, tolerance = CASES[name]
        motion = Motion(make())
        states = motion.over(times, tolerance)
        if name == "large250":
            states = states[:, :12]  # the bodies of the mixed system below the chain
        found = {
            "times": times.tolist(),
            "bodies": motion.bodies.names[: states.shape[1]],
            "quaternion": states[:, :, 3:7].tolist(),
            "omega": states[:, :, 10:].tolist(),
        }
        if name != "large250":
            found["energy"] = [motion.energy(row.reshape(-1)) for row in states]
        (HERE / f"{name}.json").write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
        print(name, np.ptp(found.get("energy", [0.0])), flush=True)


if __name__ == "__main__":
    main()
