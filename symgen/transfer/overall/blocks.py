"""The blocks of an overall transfer equation as products of transfer matrices, the way the theorem writes them.

A factor is written U_23 for the element 23 and U_26,1 for input 1 of the branch subsystem 26; the state at a tip is
multiplied by the factors on its way to the root, the last one first.

| factor | of | what it does |
|---|---|---|
| U_n | body or hinge n | output state = U_n input state; a hinge's holds the far-side condition of its outboard body |
| U_n,k | branch subsystem n | what input k gives to the output state: body and hinges as one |
| G_n,k | body of the branch n | accelerations at input k from the state at the output |
| K_n | hinge n | what the hinge passes on of the accelerations at its inboard side; transparent: its known moment too |
| K_0 | no hinge | accelerations of a tip on the body |
| F_n | hinge n | wrench along its free directions; 0 is the hinge at the root |
| R | hinge at the root | accelerations it holds; several roots: R_1, R_2, ... |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.transfer.overall.equation import BodyInput, DeducedBody, OverallEquation, RowBlock

#: Runs of consecutive elements in a product beyond so many factors are shortened.
_LONGEST_RUN = 8


@dataclass(frozen=True)
class Factor:
    """One transfer matrix in a product.

    Parameters
    ----------
    symbol : see the module.
    number : of the element or branch subsystem; None for a symbol without.
    input : of a branch subsystem, else 0.
    """

    symbol: str
    number: int | None
    input: int = 0

    def __str__(self) -> str:
        if self.number is None:
            return self.symbol
        return f"{self.symbol}_{self.number}" + (f",{self.input}" if self.input else "")


Product = tuple[Factor, ...]


@dataclass(frozen=True)
class Coefficient:
    """What stands before the state of a tip in a row block: (head - minus) product.

    Parameters
    ----------
    tip : its number.
    head : factors.
    minus : a factor subtracted from the head's product, or None.
    product : factors that follow.
    """

    tip: int
    head: Product
    minus: Factor | None
    product: Product

    def __str__(self) -> str:
        head = write_product(self.head)
        if self.minus is not None:
            head = f"({head} - {self.minus})" if head else f"-{self.minus}"
        return " ".join(part for part in (head, write_product(self.product)) if part) or "I"


def write_product(product: Sequence[Factor]) -> str:
    """Return a product as text; long runs of consecutive elements keep their ends: ``U_499 ... U_23``."""
    words: list[str] = []
    k = 0
    while k < len(product):
        end = k
        while end + 1 < len(product) and _follows(product[end], product[end + 1]):
            end += 1
        if end - k + 1 > _LONGEST_RUN:
            words += [str(product[k]), str(product[k + 1]), "...", str(product[end])]
        else:
            words += [str(factor) for factor in product[k : end + 1]]
        k = end + 1
    return " ".join(words)


def _follows(one: Factor, two: Factor) -> bool:
    if one.number is None or two.number is None or one.input or two.input:
        return False
    return one.symbol == two.symbol and two.number == one.number - 1


def output_product(equation: OverallEquation, body: int, tip: int) -> Product:
    """Return the factors from a tip to the output of a body that carries it."""
    found: list[Factor] = []
    step = equation.by_index[body]
    while True:
        entry = _entry_of(equation, step, tip)
        found += _factors(step, entry)
        if entry.tip:
            return tuple(found)
        step = equation.by_index[entry.source]


def path(equation: OverallEquation, tip: int) -> Product:
    """Return the factors from a tip to the root: its coefficient T in the main equation."""
    root = next(step for step in equation.roots if tip in step.tips)
    return output_product(equation, root.body.body, tip)


def coefficients(equation: OverallEquation, block: RowBlock) -> tuple[Coefficient, ...]:
    """Return what stands before the states of the tips in a row block, in the order of the tips.

    The root's state in a main equation has the coefficient -I; the second tip of a supplement equation -D.
    """
    if block.kind == "supplement":
        return tuple(
            Coefficient(tip, (Factor("I" if equation.tips[tip - 1].kind == "cut body" else "-D", None),), None, ())
            for tip in block.tips
        )
    if block.kind == "geometric":
        return _geometric(equation, block)
    head = _head(equation, block)
    if block.kind == "leftover" and _at_tip(equation, block):
        return tuple(Coefficient(tip, head, None, ()) for tip in block.tips)
    return tuple(Coefficient(tip, head, None, output_product(equation, block.body, tip)) for tip in block.tips)


def hinge_number(equation: OverallEquation, joint: str) -> int:
    """Return the number of a hinge's element; 0 at the root and for no hinge."""
    numbers = {hinge.joint: hinge.number for hinge in equation.system.hinges}
    numbers |= {loop.joint: loop.number for loop in equation.system.loops}
    return numbers.get(joint, 0)


def branch_members(equation: OverallEquation, step: DeducedBody) -> tuple[int, ...]:
    """Return the numbers of the elements of a branch subsystem: its hinges and its body."""
    return (*(entry.number for entry in step.entries if entry.number), step.body.number)


def _geometric(equation: OverallEquation, block: RowBlock) -> tuple[Coefficient, ...]:
    step = equation.by_index[block.body]
    here = next(entry for entry in step.entries if entry.input == block.input)
    lift, hinge = Factor("G", step.branch, block.input), Factor("K", here.number)
    found = []
    for tip in block.tips:
        entry = _entry_of(equation, step, tip)
        behind = () if entry.tip else output_product(equation, entry.source, tip)
        head = (lift, Factor("U", step.branch, entry.input))
        found.append(Coefficient(tip, head, hinge if entry is here else None, behind))
    return tuple(found)


def _head(equation: OverallEquation, block: RowBlock) -> Product:
    if block.kind == "leftover":
        return (Factor("F", hinge_number(equation, block.joint)),)
    if block.kind == "root":
        several = len(equation.roots) > 1
        place = [step.body.body for step in equation.roots].index(block.body) + 1
        return (Factor("R", place if several else None),)
    return ()


def _at_tip(equation: OverallEquation, block: RowBlock) -> bool:
    """Tell whether a leftover block is that of a loop hinge, whose inboard side is a tip."""
    return any(tip.kind == "cut hinge" and tip.joint == block.joint for tip in equation.tips)


def _entry_of(equation: OverallEquation, step: DeducedBody, tip: int) -> BodyInput:
    for entry in step.entries:
        if tip == entry.tip or (not entry.tip and tip in equation.by_index[entry.source].tips):
            return entry
    raise ValueError(f"body {step.body.id} does not carry tip {tip}")


def _factors(step: DeducedBody, entry: BodyInput) -> list[Factor]:
    if step.branch:
        return [Factor("U", step.branch, entry.input)]
    return [Factor("U", step.body.number), *([Factor("U", entry.number)] if entry.joint else [])]
