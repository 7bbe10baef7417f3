"""The intermediate representation: routines as frozen dataclasses."""
