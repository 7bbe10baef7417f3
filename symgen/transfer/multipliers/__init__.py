"""Newton-Euler equations with multipliers, all at once: the method that knows nothing of transfer matrices."""
