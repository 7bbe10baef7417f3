"""Whether constraints are independent: at random places, in declared special geometry, as drawn."""
