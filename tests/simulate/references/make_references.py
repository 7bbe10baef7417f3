"""Write the reference motions of the examples: ``python tests/simulate/references/make_references.py [NAME...]``.

Each file holds times, the named points of the mechanism (t, 3) [m, world], its energy, and the twists of the centres of
mass at the start, 17 digits. All of them take minutes, so they are kept. Same input, same numbers up to the rounding of
the machine's LAPACK.
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
from simulate.references.closed_systems import double_four_bar, flyball_governor, heavy_top  # noqa: E402
from simulate.references.extrapolation import integrate  # noqa: E402
from simulate.references.newton_euler import NewtonEuler, cross  # noqa: E402

import symgen  # noqa: E402

#: Name -> (example, changed parameters, times, tolerance).
CASES: dict[str, tuple[str, dict[str, float], Any, float]] = {
    "bricard": ("bricard", {}, np.linspace(0.0, 10.0, 51), 1e-12),
    "bricard_slender": ("bricard", {"section": 0.0}, np.linspace(0.0, 10.0, 51), 1e-12),
    "andrews": ("andrews", {}, np.linspace(0.0, 0.03, 31), 1e-12),
    "spatial_slider_crank": ("spatial_slider_crank", {}, np.linspace(0.0, 5.0, 51), 1e-12),
}


def start_twists(name: str, system: NewtonEuler) -> Any:
    """Return the velocities at the start, from the definitions of the benchmarks by hand."""
    twists = np.zeros((len(system.names), 6))
    places = system.places(system.state(twists))
    if name == "spinning_top":
        spin = np.array([0.0, 150.0, -4.61538])
        twists[0] = np.concatenate([cross(spin, np.array([0.0, 1.0, 0.0])), spin])
    elif name == "flyball_governor":
        turn = np.array([0.0, 0.0, 2 * np.pi])
        twists[:] = [np.concatenate([cross(turn, place.r), turn]) for place in places]
    elif name == "spatial_slider_crank":
        # The rod's end B moves with -0.48 m/s along y, its end C with 0.24 m/s along x: the rod keeps its length.
        # Its angular velocity is made of the two axes of the U, the guide's and (0, 0.2, -0.1)/sqrt(0.05).
        ends = np.array([[0.0, -0.48, 0.0], [0.24, 0.0, 0.0]])
        along, first = np.array([0.2, -0.1, -0.2]), np.array([1.0, 0.0, 0.0])
        second = np.array([0.0, 0.2, -0.1]) / np.sqrt(0.05)
        parts = np.linalg.lstsq(
            np.stack([cross(first, along), cross(second, along)], axis=1), ends[1] - ends[0], rcond=None
        )[0]
        twists[0, 3] = 6.0
        twists[1] = np.concatenate([ends.mean(axis=0), parts[0] * first + parts[1] * second])
        twists[2, :3] = ends[1]
    return twists


def reference(name: str, until: float | None = None) -> dict[str, Any]:
    """Return the reference of a case, up to a time."""
    example, changes, times, tolerance = CASES[name]
    mechanism = symgen.load(ROOT / "examples" / "dynamics" / example / "mechanism.toml").with_parameters(**changes)
    system = NewtonEuler(mechanism)
    times = times if until is None else times[times <= until + 1e-12]
    twists = start_twists(example, system)
    states = integrate(system.field, system.state(twists), times, tolerance, system.project)
    points = {
        f"{body.id}.{point}": [system.point(state, body.id, at).tolist() for state in states]
        for body in mechanism.bodies
        for point, at in body.points.items()
    }
    last = states[-1].reshape(-1, 13)
    return {
        "mechanism": example,
        "parameters": changes,
        "tolerance": tolerance,
        "times": times.tolist(),
        "points": points,
        "energy": [system.energy(state) for state in states],
        "twists": twists.tolist(),
        "last_quaternions": last[:, 3:7].tolist(),
        "last_twists": last[:, 7:].tolist(),
    }


def parallel_four_bars() -> dict[str, Any]:
    """Return the double four-bar on its parallel branch: a pendulum."""
    times = np.linspace(0.0, 10.0, 51)
    motion = double_four_bar(times)
    tips = np.stack([np.sin(motion[:, 0]), np.cos(motion[:, 0]), np.zeros(len(times))], axis=-1)
    return {
        "mechanism": "double_four_bar",
        "parameters": {},
        "times": times.tolist(),
        "points": {f"crank{k}.B{k}": (tips + np.array([k, 0.0, 0.0])).tolist() for k in range(3)},
        "theta": motion[:, 0].tolist(),
        "rate": motion[:, 1].tolist(),
    }


def governor() -> dict[str, Any]:
    """Return the flyball governor, which stays symmetric: three coordinates."""
    times = np.linspace(0.0, 10.0, 101)
    turn, alpha, height = flyball_governor(times)[:, :3].T
    reach, zero = 0.05 + np.cos(alpha), np.zeros(len(times))
    out = np.stack([reach * np.cos(turn), reach * np.sin(turn), 1.0 - np.sin(alpha)], axis=-1)
    return {
        "mechanism": "flyball_governor",
        "parameters": {},
        "times": times.tolist(),
        "points": {
            "slider.S": np.stack([zero, zero, height], axis=-1).tolist(),
            "rod_right.ball": out.tolist(),
            "rod_left.ball": (out * [-1.0, -1.0, 1.0]).tolist(),
        },
        "turn": turn.tolist(),
        "alpha": alpha.tolist(),
    }


def top(push: float) -> dict[str, Any]:
    """Return the heavy top, pushed upwards from 1 s until 1.05 s or not."""
    times = np.linspace(0.0, 2.0, 41)
    times[[20, 21]] = 1.0, 1.05
    places = heavy_top(times, 15.0, 1.0, 0.46875, 0.234375, 150.0, -4.61538, (push, 1.0, 1.05))
    return {
        "mechanism": "spinning_top",
        "parameters": {"push": push},
        "times": times.tolist(),
        "points": {"top.centre": places.tolist()},
    }


#: Motions that have equations of their own.
CLOSED = {"double_four_bar": parallel_four_bars, "flyball_governor": governor,
          "spinning_top": lambda: top(0.0), "spinning_top_pushed": lambda: top(200.0)}  # fmt: skip


def main() -> None:
    """Write the chosen references, or all."""
    for name in sys.argv[1:] or [*CASES, *CLOSED]:
        found = CLOSED[name]() if name in CLOSED else reference(name)
        (HERE / f"{name}.json").write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
        drift = f": energy within {np.ptp(found['energy']):.2e} J" if "energy" in found else ""
        print(f"{name}{drift}", flush=True)


if __name__ == "__main__":
    main()
