"""A mechanism in motion under forces: results of a simulation and what is read off them."""
