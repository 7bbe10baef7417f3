"""Where a motion starts: joints closed, velocities allowed, masses found, singular positions looked into."""
