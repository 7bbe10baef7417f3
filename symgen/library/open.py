"""The library of solved types, opened: what the catalogue holds, what packages offer, what is derived on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symgen.errors import InputError, UnsolvedTypeError
from symgen.library.backends import REAL, Backend, open_backend
from symgen.library.catalogue import Catalogue, Entry, Module, load_catalogue
from symgen.library.fit import GroupFit, fit_group
from symgen.library.group_joints import GroupJoint
from symgen.library.group_key import has_letters, offered_name, on_demand_name
from symgen.library.on_demand import derived_or_none, is_wanted
from symgen.library.signatures import chain_of, counted, tidy
from symgen.library.solved_type import BackendName, Precision, SolvedType
from symgen.third_party import derivations, named
from symgen.topology.signatures import parse_signature

#: Planar groups that are no chains, as their signatures write them.
_PLATFORMS = re.compile(r"<[^<>#~]+> 2D")


class Library:
    """All solved types in one precision, run by one backend.

    ``library[signature]`` takes a signature (``"R.S.U 3D"``, either reading direction, ER for U) or a key
    (``"U.C*slide.S 3D"``); iterating gives the keys.

    Parameters
    ----------
    catalogue : what there is.
    precision : ``"double"`` or ``"float"``.
    backend : ``"auto"``, ``"c"`` or ``"numpy"``.
    derive : whether closed forms that `catalogue` lacks are derived when they are asked for.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        precision: Precision = "double",
        backend: BackendName = "auto",
        derive: bool = False,
    ) -> None:
        _choice("precision", precision, tuple(REAL))
        _choice("backend", backend, ("auto", "c", "numpy"))
        self.catalogue = catalogue
        self.precision: Precision = precision
        self.backend: BackendName = backend
        self.derive = derive
        self._backends: dict[str, Backend] = {}
        self._types: dict[str, SolvedType] = {}

    def __getitem__(self, signature: str) -> SolvedType:
        """Return the solved type of a signature or key; see `Catalogue.find` for the errors.

        What the catalogue lacks is derived (`symgen.library.on_demand`). A chain without a closed form is solved by
        certified Newton, see `symgen.library.newton.entry`.
        """
        try:
            return self.of(self.catalogue.find(signature))
        except UnsolvedTypeError:
            offered = self.offered_for(signature)
            if offered is not None:
                return self.of(offered.only(signature))
            from symgen.library.newton.entry import newton_entry  # most programs never need it

            entry = newton_entry(signature)  # refuses a text that leaves open which freedom is driven
            more = self.derived_for(signature)
            if more is not None:
                return self.of(more.only(signature))
            if entry is None:
                raise
            return self.of(entry)

    def derived_for(self, signature: str) -> Catalogue | None:
        """Return the solved types derived for a signature or key; None if there is no closed form, or none is wanted.

        Nothing is derived for a text that names no structural group.
        """
        from symgen.topology.findings.regularity import irregularity

        if not self.derive:
            return None
        chain, text = chain_of(signature), tidy(signature)
        if chain is None:
            return derived_or_none(text) if _PLATFORMS.fullmatch(text) else None
        if not has_letters(chain.space, [joint.type for joint in chain.joints]):
            return None
        try:
            parse_signature(counted(text))
        except InputError:  # its pairs impose too few or too many constraints
            return None
        return derived_or_none(chain.text) if irregularity(counted(text)) is None else None

    def offered_for(self, name: str) -> Catalogue | None:
        """Return the solved types of what an installed package offers, by its name, a signature or key; else None.

        Nothing is asked where no package offers any, or `derive` is off.
        """
        if not self.derive or not derivations():
            return None
        text, chain = tidy(name), chain_of(name)
        if named(text):
            return derived_or_none(text)
        if chain is not None or text.startswith("<"):
            return derived_or_none(text if chain is None else chain.text)
        return None

    def fit(self, space: str, bodies: Sequence[str], joints: Sequence[GroupJoint]) -> GroupFit:
        """Lay a group over its solved type, derived if the catalogue lacks it; see `symgen.library.fit.fit_group`.

        Raises
        ------
        UnsolvedTypeError
            There is no closed form, or it is not there and `derive` is off.
        InputError
            A joint of a group in the catalogue has to be written the other way round.
        """
        try:
            return fit_group(self.catalogue, space, bodies, joints)
        except UnsolvedTypeError:
            name = on_demand_name(space, bodies, joints) if self.derive else None
            if name is None and self.derive and derivations():
                name = offered_name(space, bodies, joints)
            more = derived_or_none(name) if name is not None else None
            if more is None:
                raise
            try:
                return fit_group(more, space, bodies, joints)
            except InputError as error:  # a joint that cannot be turned: certified Newton takes it as it is
                raise UnsolvedTypeError(str(error)) from error

    def of(self, entry: Entry) -> SolvedType:
        """Return the solved type of a catalogue entry."""
        name = f"{entry.manifest.id}/{entry.arrangement.id}/{entry.key}"
        if name not in self._types:
            self._types[name] = SolvedType(self, entry)
        return self._types[name]

    def __contains__(self, signature: object) -> bool:
        return isinstance(signature, str) and bool(self.catalogue.matching(signature))

    def __iter__(self) -> Iterator[str]:
        return (entry.key for entry in self.catalogue.entries)

    def __len__(self) -> int:
        return len(self.catalogue.entries)

    def backend_of(self, module: Module) -> Backend:
        """Return what runs a module, compiled or imported on first use."""
        name = module.manifest.id
        if name not in self._backends:
            self._backends[name] = open_backend(module, self.precision, self.backend)
        return self._backends[name]


def _choice(name: str, found: str, allowed: tuple[str, ...]) -> None:
    if found not in allowed:
        raise InputError(f"library: {name} = {found!r}; allowed are {', '.join(map(repr, allowed))}")


def library(precision: Precision = "double", backend: BackendName = "auto", *, derive: bool | None = None) -> Library:
    """Open the library of solved types.

    Parameters
    ----------
    precision : ``"double"`` or ``"float"``.
    backend : ``"c"`` compiles on first use, ``"numpy"`` never does, ``"auto"`` takes C where it can be built
        and NumPy otherwise (said once on standard error).
    derive : whether a group that no module solves has its closed form derived when it is asked for, once, into the
        user's cache; without it certified Newton solves such a group. By default what ``$SYMGEN_DERIVE`` says: yes,
        unless it is 0.

    Returns
    -------
    Library
        ``library["R.R.R 2D"]`` is a solved type: `.position(...)`, `.velocity(...)`, `.acceleration(...)`.
    """
    wanted = is_wanted() if derive is None else derive
    return Library(load_catalogue(), precision=precision, backend=backend, derive=wanted)
