"""Growth: time of one evaluation against the number of bodies, up to 100 000."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.transfer import symgen_tool
from benchmarks.transfer.contestant import Contestant
from benchmarks.transfer.rounds import measure
from benchmarks.transfer.systems import system

NUMBERS = (10, 50, 250, 1000, 2000, 8000, 12_500, 16_000, 64_000, 100_000)
#: Pairs whose times are compared: eight times as many bodies.
EIGHTFOLD = ((250, 2000), (1000, 8000), (2000, 16_000), (8000, 64_000), (12_500, 100_000))
ENGINES: dict[str, Callable[[int], Contestant]] = {
    "ball joints, chain": lambda bodies: symgen_tool.contestant(system("chain", bodies)),
    "ball joints, tree": lambda bodies: symgen_tool.contestant(system("tree", bodies)),
    "pins in the plane, chain": symgen_tool.pins,
}


def grow(rounds: int) -> Iterator[tuple[str, dict[int, float], dict[tuple[int, int], float]]]:
    """Yield of each engine: its name, seconds by number of bodies, ratios of eight times as many bodies."""
    for name, make in ENGINES.items():
        seconds = {n: measure([make(n).call], rounds)[0].least for n in NUMBERS}
        ratios = {}
        for few, many in EIGHTFOLD:
            small, large = measure([make(few).call, make(many).call], rounds)
            ratios[few, many] = large.ratio / small.ratio
        yield name, seconds, ratios
