"""The Riccati form of the transfer equations: one pass to the roots, one back."""
