"""What installed packages offer, asked by signature: which of their derivations solves a group."""

from __future__ import annotations

from symgen.derivations.sources import Own, blamed, from_offer
from symgen.derive.catalogue import register
from symgen.errors import InputError
from symgen.library.signatures import ChainKey, chain_of, tidy
from symgen.pipeline.modules import lower_module
from symgen.third_party import GROUPS, Offer, derivations, named


def offered_modules(text: str) -> tuple[list[Own], list[str]]:
    """Return the derivations that a signature, key or name of an entry point means, and what is wrong with others.

    Of a signature only groups are asked. Each package that fails is named with its entry point in the second list.
    """
    found: list[Own] = []
    warnings: list[str] = []
    asked = named(text) or tuple(offer for offer in derivations() if offer.group == GROUPS)
    for offer in asked:
        try:
            _refuse_twice(offer)
            own = from_offer(offer)
            if offer.name == text or _solves(own, text):
                found.append(own)
        except InputError as error:
            warnings.append(f"{error}" if offer.text in str(error) else f"{offer.text}: {error}")
    if len(found) > 1:
        listed = "; ".join(own.where for own in found)
        return [], [*warnings, f"{text} is offered more than once, so none is taken: {listed}"]
    for own in found:
        register(own.module)
    return found, warnings


def _refuse_twice(offer: Offer) -> None:
    others = [each for each in named(offer.name) if each != offer]
    if others:
        raise InputError(f"{others[0].text} has the same name; uninstall one of them")


def _solves(own: Own, text: str) -> bool:
    """Tell whether one of the module's arrangements has this signature or key, in either reading direction."""
    wanted = tidy(text)
    chain = chain_of(wanted)
    with blamed(own.where, own.file):
        arrangements = lower_module(own.module).arrangements
    for arrangement in arrangements:
        for known in (arrangement.signature, arrangement.key):
            if known == wanted or _means(chain, chain_of(known)):
                return True
    return False


def _means(asked: ChainKey | None, known: ChainKey | None) -> bool:
    """Tell whether a text means a key: the same pairs, and what it says of driven freedoms and slots is so."""
    if asked is None or known is None or asked.counted() != known.counted():
        return False
    ways = [
        all(set(one.names) <= set(two.names) for one, two in zip(asked.joints, other.joints, strict=True))
        for other in (known, known.reversed())
        if asked.joints and [j.counted() for j in asked.joints] == [j.counted() for j in other.joints]
    ]
    return any(ways)
