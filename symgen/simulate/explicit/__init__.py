"""Explicit Runge-Kutta steps: schemes, and the integrator in NumPy; templates/c99/steps has it in C."""
