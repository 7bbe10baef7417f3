"""External functions of CasADi: values are those of the step, Jacobians those of differences, by C and in CasADi."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.export.backend import Asked, as_bytes, backends
from symgen.export.host import Host
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.subject import Subject

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.extension


def _subject(name: str, **asked: Any) -> Subject:
    mechanism = symgen.load(EXAMPLES / name / "mechanism.toml")
    request = MechanismRequest(**{"prefix": "moved", "precision": "double", "tangent": True, **asked})
    return mechanism_subject(mechanism, symgen.library(), request)


def _written(subject: Subject, folder: Path) -> dict[str, Any]:
    product = backends()["casadi"].files(subject, Asked("export X --for casadi", {}))
    for name, text in product.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(text))
    return dict(product.manifest)


class _Function:
    """A function of the library, called as CasADi calls it."""

    def __init__(self, library: Any, name: str) -> None:
        self._call = getattr(library, name)
        pattern = getattr(library, f"{name}_sparsity_out")
        pattern.restype = ctypes.POINTER(ctypes.c_longlong)
        found = pattern(ctypes.c_longlong(0))
        self.rows, self.columns = found[0], found[1]
        self.dense = self.columns == 1 and found[2] == 1
        self.begins = [found[2 + k] for k in range(self.columns + 1)]
        size = self.rows if self.dense else self.begins[-1]
        self.entries = [found[3 + self.columns + k] for k in range(0 if self.dense else size)]
        self._size = size

    def __call__(self, inputs: Any) -> Any:
        given, found = np.array(inputs, dtype=float), np.full(self._size, np.nan)
        row = (ctypes.c_void_p * 2)(given.ctypes.data, None)
        answer = (ctypes.c_void_p * 1)(found.ctypes.data)
        if self._call(row, answer, None, None, 0) != 0:
            assert np.isnan(found).all()
            return None
        if self.dense:
            return found
        whole = np.zeros((self.rows, self.columns))
        for column in range(self.columns):
            for k in range(self.begins[column], self.begins[column + 1]):
                whole[self.entries[k], column] = found[k]
        return whole


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("jansen_leg", {"results": ["foot.toe"]}),
        pytest.param("stewart_inverse", {"stage": "position"}, marks=pytest.mark.slow),
        pytest.param("spatial_four_bar", {}, marks=pytest.mark.slow),
        pytest.param("nine_bar", {"drives": "laws"}, marks=pytest.mark.slow),
    ],
)
def test_values_and_jacobian(name: str, asked: dict[str, Any], tmp_path: Path) -> None:
    subject = _subject(name, **asked)
    manifest = _written(subject, tmp_path)
    library = ctypes.CDLL(str(tmp_path / manifest["library"]))
    value, jacobian = _Function(library, "moved"), _Function(library, "jac_moved")
    host = Host(subject, {file: text for file, text in _sources(tmp_path).items()})
    rng, solved = np.random.default_rng(4), 0
    base = np.array([each.start or 0.0 for each in subject.inputs])
    for _ in range(12):
        inputs = base + rng.uniform(-0.02, 0.02, len(base))
        host.begin()
        _, wanted = host.step(inputs)
        found = value(inputs)
        if wanted is None:
            assert found is None
            continue
        solved += 1
        np.testing.assert_array_equal(found, wanted)
        exact = jacobian(inputs)
        for column in range(len(base)):
            step = np.zeros(len(base))
            # differences of order 4 with 1e-3: cut off at h^4, some 1e-12 of the size; rounding is 1e-13 of it
            step[column] = 1e-3
            parts = [value(inputs + k * step) for k in (-2, -1, 1, 2)]
            if any(part is None for part in parts):
                continue
            slope = (parts[0] - 8 * parts[1] + 8 * parts[2] - parts[3]) / 12e-3
            np.testing.assert_allclose(exact[:, column], slope, rtol=1e-7, atol=1e-8 * max(1.0, np.abs(exact).max()))
    assert solved > 6
    assert value([np.nan] * len(base)) is None
    assert jacobian([np.nan] * len(base)) is None


def _sources(folder: Path) -> dict[str, str]:
    kept = [p for p in folder.rglob("*.[ch]") if not p.name.endswith("_casadi.c")]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in kept}


@pytest.mark.slow
def test_laws_of_all_functions_have_derivatives(tmp_path: Path) -> None:
    """The crank's angle is an input's function here, so the Jacobian of it is the law's derivative."""
    tree = symgen.load(EXAMPLES / "jansen_leg" / "mechanism.toml").to_dict()
    tree["drives"] = {"axle": "0.1*exp(-t)*t + log(1 + t) + (2 + t)**1.3 + tan(0.1*t) + atan(t) + 0.1*asin(0.2*t)"}
    request = MechanismRequest(
        prefix="moved", precision="double", math="libm", drives="laws", results=["axle"], tangent=True
    )
    subject = mechanism_subject(symgen.Mechanism.from_dict(tree), symgen.library(), request)
    library = ctypes.CDLL(str(tmp_path / _written(subject, tmp_path)["library"]))
    value, jacobian = _Function(library, "moved"), _Function(library, "jac_moved")
    names = [result.name for result in subject.results]
    angle, rate = names.index("axle.angle"), names.index("axle.angle.rate")
    for t in (0.1, 0.7, 2.0):
        assert abs(jacobian([t])[angle, 0] - value([t])[rate]) < 1e-13 * abs(value([t])[rate]) + 1e-15


@pytest.mark.slow
def test_there_is_no_value_and_no_jacobian_out_of_a_range(tmp_path: Path) -> None:
    subject = _subject("jansen_leg", results=["foot.toe"], ranges={"axle.angle": (0.0, 1.0)})
    library = ctypes.CDLL(str(tmp_path / _written(subject, tmp_path)["library"]))
    for name in ("moved", "jac_moved"):
        function = _Function(library, name)
        assert function([0.5, 0.0, 0.0]) is not None
        assert function([1.5, 0.0, 0.0]) is None


@pytest.mark.slow
def test_it_compiles_without_a_word(tmp_path: Path) -> None:
    _written(_subject("jansen_leg", results=["foot.toe"]), tmp_path)
    for compiler in ("gcc", "clang"):
        for flags in LANGUAGES.values():
            run(
                need(compiler), *WARNINGS, *flags, "-fsyntax-only", f"-I{tmp_path}/include", f"-I{tmp_path}/src",
                tmp_path / "src" / "moved_casadi.c",
            )  # fmt: skip


@pytest.mark.slow
def test_casadi_loads_it_and_has_its_jacobian(tmp_path: Path) -> None:
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: make export-tools")
    manifest = _written(_subject("jansen_leg", results=["foot.toe"]), tmp_path)
    path = str(tmp_path / manifest["library"])
    function = casadi.external("moved", path)
    x = casadi.MX.sym("x", 3)
    jacobian = casadi.Function("j", [x], [casadi.jacobian(function(x), x)])
    own = ctypes.CDLL(path)
    at = [0.3, 2.0, -1.0]
    np.testing.assert_array_equal(np.array(function(at)).ravel(), _Function(own, "moved")(at))
    np.testing.assert_array_equal(np.array(jacobian(at)), _Function(own, "jac_moved")(at))
    # the crank's angle at which the toe is farthest along x: a nonlinear program with exact first derivatives
    angle = casadi.MX.sym("angle")
    toe = function(casadi.vertcat(angle, 0, 0))[0]
    options = {"ipopt.hessian_approximation": "limited-memory", "ipopt.print_level": 0, "print_time": False}
    solver = casadi.nlpsol("solver", "ipopt", {"x": angle, "f": -toe}, options)
    best = float(solver(x0=0.5)["x"])
    assert abs(_Function(own, "jac_moved")([best, 0.0, 0.0])[0, 0]) < 1e-5


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--branch", "follow"], "has no memory"),
        (["--branch", "input"], "numbers of the branches"),
        (["--precision", "float"], "--precision belongs to"),
        (["--prefix", "jac"], "'my_jac'"),
        (["--packaging", "cmake"], "--packaging belongs to --for embedded"),
    ],
)
def test_what_is_not_allowed_is_refused(arguments: list[str], said: str, tmp_path: Path, capsys: Any) -> None:
    words = ["export", str(EXAMPLES / "jansen_leg" / "mechanism.toml"), "--for", "casadi", *arguments]
    assert main([*words, "--out", str(tmp_path / "x")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_the_manifest_tells_of_the_function(tmp_path: Path) -> None:
    words = ["export", "R.R.R 2D", "--for", "casadi", "--stages", "position", "--prefix", "dyad"]
    assert main([*words, "--out", str(tmp_path / "x")]) == 0
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["function"] == "dyad"
    assert manifest["jacobian"]["entries"] > 0
    assert manifest["jacobian"]["calls"] <= len(manifest["inputs"])
