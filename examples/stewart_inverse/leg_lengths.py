"""Leg lengths, speeds and accelerations of the six-legged platform, from the Python face of symgen.

Run: python leg_lengths.py
"""

from pathlib import Path

import numpy as np

import symgen

mechanism = symgen.load(Path(__file__).with_name("mechanism.toml"))
result = symgen.solve(mechanism, np.linspace(0.0, 1.0, 501))

print("leg   shortest    longest   top speed   top acceleration")
for leg in range(1, 7):
    slider = result.joints[f"slider_{leg}"]
    ball, cardan = (np.array(mechanism.joint(f"{name}_{leg}").frames[0].at) for name in ("ball", "cardan"))
    drawn = np.linalg.norm(cardan - ball)  # both are given in the world of the drawing: coordinates are zero there
    length = drawn + slider.coordinates["slide"]
    speed, peak = np.abs(slider.rates["slide"]).max(), np.abs(slider.accelerations["slide"]).max()
    print(f"{leg:3}   {length.min():.4f} m   {length.max():.4f} m   {speed:.3f} m/s   {peak:.2f} m/s^2")
