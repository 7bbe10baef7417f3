"""Greek letters as LaTeX commands, with the characters that they set, for whoever reads or writes LaTeX."""

from __future__ import annotations

#: Names of the commands, without the backslash, and their characters; `ell` is no Greek letter, but written like one.
GREEK: dict[str, str] = {
    "alpha": "\u03b1", "beta": "\u03b2", "gamma": "\u03b3", "delta": "\u03b4", "epsilon": "\u03f5", "zeta": "\u03b6",
    "eta": "\u03b7", "theta": "\u03b8", "iota": "\u03b9", "kappa": "\u03ba", "lambda": "\u03bb", "mu": "\u03bc",
    "nu": "\u03bd", "xi": "\u03be", "pi": "\u03c0", "rho": "\u03c1", "sigma": "\u03c3", "tau": "\u03c4",
    "upsilon": "\u03c5", "phi": "\u03d5", "chi": "\u03c7", "psi": "\u03c8", "omega": "\u03c9", "varepsilon": "\u03b5",
    "vartheta": "\u03d1", "varrho": "\u03f1", "varphi": "\u03c6", "Gamma": "\u0393", "Delta": "\u0394",
    "Theta": "\u0398", "Lambda": "\u039b", "Xi": "\u039e", "Pi": "\u03a0", "Sigma": "\u03a3", "Upsilon": "\u03a5",
    "Phi": "\u03a6", "Psi": "\u03a8", "Omega": "\u03a9", "ell": "\u2113",
}  # fmt: skip
