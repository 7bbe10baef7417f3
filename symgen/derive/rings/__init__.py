"""Single-loop spatial groups of any number of bodies, with driven freedoms anywhere: one strategy for all."""
