"""Step length and flatness of the foot's path, from the Python face of symgen.

Run: python foot_path.py
"""

from pathlib import Path

import numpy as np

import symgen

mechanism = symgen.load(Path(__file__).with_name("mechanism.toml"))
result = symgen.solve(mechanism, np.linspace(0.0, 1.0, 361))
toe = result.points["foot.toe"]

stride = np.ptp(toe.r[:, 0])
ground = toe.r[:, 1] < toe.r[:, 1].min() + 0.01  # within 1 cm of the lowest point
print(f"stride {stride:.3f} m, lift {np.ptp(toe.r[:, 1]):.3f} m")
print(f"on the ground {np.mean(ground):.0%} of the turn, there at {np.mean(toe.v[ground, 0]):+.2f} m/s on average")

shorter = symgen.solve(mechanism.with_parameters(m=0.12), result.times).points["foot.toe"]
print(f"with a crank of 12 cm: stride {np.ptp(shorter.r[:, 0]):.3f} m")
