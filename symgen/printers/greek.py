"""Greek letters as LaTeX commands, for whoever reads or writes LaTeX."""

from __future__ import annotations

_FIRST = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu"
_LAST = "nu xi pi rho sigma tau upsilon phi chi psi omega"
_VARIANTS = "varepsilon vartheta varrho varphi"
_CAPITALS = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"

#: Names of the commands, without the backslash; `ell` is no Greek letter, but written like one.
GREEK: tuple[str, ...] = (*_FIRST.split(), *_LAST.split(), *_VARIANTS.split(), *_CAPITALS.split(), "ell")
