"""Accelerations of large trees of bodies on ball joints: symgen's special engines beside other tools, and growth."""
