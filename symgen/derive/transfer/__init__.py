"""Elements of the transfer matrix method, derived: rigid bodies, hinges, beams, their Riccati steps."""
