"""symgen: the symbolic code generator for mechanisms."""

__version__ = "0.1.0"
