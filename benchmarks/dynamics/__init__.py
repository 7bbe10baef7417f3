"""Work against precision of simulations: symgen and other tools on the same mechanisms, in one run."""
