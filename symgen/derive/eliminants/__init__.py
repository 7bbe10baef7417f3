"""Loops without a spherical and without a planar pair: polynomials in one angle, solved for all real zeros."""
