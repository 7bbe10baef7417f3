"""A derivation of one's own: what is wrong in it is told with its place, nothing is half-written, names stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symgen.derivations
from symgen.cli.main import main
from symgen.derivations.sources import is_file, load
from symgen.derivations.writing import own_texts
from symgen.derive import catalogue
from symgen.errors import InputError

HEAD = """
from symgen.derivations import *

def start():
    d = Derivation("test", level="kernel", title="t", source="s")
    x = d.input_scalar("x", meaning="x", unit="m")
    return d, x, d.input_vector("v", 2, meaning="v", unit="m"), d.input_vector("w", 3, meaning="w", unit="m")

def end(d, step):
    d.output("result", step, meaning="result", unit="m")
    return formula(d, id="tested")

def derive():
    d, x, v, w = start()
"""
#: Line of the first statement of a body.
FIRST = HEAD.count("\n") + 1


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})


def refusal(folder: Path, text: str) -> str:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        own_texts(load(str(folder / "mine.py")))
    return str(caught.value).replace(str(folder / "mine.py"), "mine.py")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('y = d.scalar("y", x + d.promise("z"), "y")', f"mine.py:{FIRST}: test: step 'y' uses 'z', which is neither"),
        ('y = d.vector("y", v + w, "y")', f"mine.py:{FIRST}: +: a vector of 2 components meets 3 components"),
        ('y = d.vector("y", v + x, "y")', f"mine.py:{FIRST}: +: a vector of 2 components meets no vector (x)"),
        ('y = d.scalar("y", v, "y")', f"mine.py:{FIRST}: test: step 'y' is a Vector where a scalar expression"),
        ('y = d.vector("y", x, "y")', f"mine.py:{FIRST}: test: step 'y' is no Vector but x"),
        ('y = d.scalar("y", v * v, "y")', f"mine.py:{FIRST}: a product of two vectors"),
        ('y = d.scalar("y", v.cross(v), "y")', f"mine.py:{FIRST}: cross: of two vectors with 3 components"),
        ('y = d.scalar("y", 3, "y")', f"mine.py:{FIRST}: test: step 'y' is 3 where a scalar expression is wanted"),
        ('y = d.scalar("y", 0.1 * x, "y")', f"mine.py:{FIRST}: test: step 'y' holds a number that is not exact"),
        ('y = d.scalar("x", x * x, "y")', f"mine.py:{FIRST}: test: the name 'x' is used twice"),
        ('y = d.scalar("double", x * x, "y")', f"mine.py:{FIRST}: the name 'double' is"),
        ("return end(d, x * x)", "test: output 'result': x**2 is not a step"),
        ("return end(d, x)", "result 'result' is the argument x itself"),
        ("y = zz", f"mine.py:{FIRST}: NameError: name 'zz' is not defined"),
        ("return d", "found Derivation; a Derivation becomes a module by formula(kernel, id=...)"),
        (
            "pass",
            "mine.py:derive: expected a function without arguments that returns a ModuleDerivation (formula(...), "
            "element(...)), found None; is a `return` missing?",
        ),
        ('y = d.scalar("y", x / (x - x), "y")', f"mine.py:{FIRST}: test: step 'y' divides by zero"),
        (
            'y = d.scalar("y", x * x, "y"); d.claim_identity("c", "t", [])',
            f"mine.py:{FIRST}: test: claim 'c' has no resi",
        ),
        (
            'with d.part("velosity"): pass',
            f"mine.py:{FIRST}: test: there is no part 'velosity'; did you mean \"velocity\"?",
        ),
        ('return end(d, d.scalar("y", x * x, "y"))', "test: nothing is claimed of it"),
        (
            'y = d.scalar("y", x * x, "y"); d.claim_identity("c", "t", [y - y]); return end(d, y)',
            "claim 'c' says nothing",
        ),
        ('y = d.scalar("y", x * x, "y"); d.claim_zero("c", "t", [y - y]); return end(d, y)', "claim 'c' says nothing"),
        (
            'd.input_scalar("z", meaning="z", unit="m", range="big"); return end(d, d.scalar("y", x * x, "y"))',
            "input 'z': range 'big' says no bounds; allowed are",
        ),
        (
            'd.input_scalar("z", meaning="z", unit="m", range="2 .. 1"); return end(d, d.scalar("y", x * x, "y"))',
            "input 'z': no number lies in the range '2 .. 1'; are its bounds the wrong way round?",
        ),
        (
            'd.input_scalar("z", meaning="z", unit="m", range="0 .. 1e400"); return end(d, d.scalar("y", x * x, "y"))',
            "input 'z': range '0 .. 1e400' has a bound that no number reaches; leave it out",
        ),
        (
            'y = d.scalar("y", x * x, "y"); d._part = "geometry"; d.output("g", y, meaning="g", unit="m"); '
            'd._part = "position"; return end(d, d.scalar("q", x, "q"))',
            "no function gives the result 'g'",
        ),
        (
            'y = d.scalar("y", x + ONE, "y"); d.claim_identity("c", "t", [y], squares={"y": ZERO}); return end(d, y)',
            "claim 'c', squares: the square of 'y' is not 0; they differ by",
        ),
        ("raise SystemExit('bye')", f"mine.py:{FIRST}: SystemExit: bye"),
        ('return formula(end(d, d.scalar("y", x * x, "y")).kernel, id="dyad_rrr")', "is that of a module of symgen"),
        ('return formula(end(d, d.scalar("y", x * x, "y")).kernel, id="My F")', "is not snake_case"),
        ("return formula(d, id='empty')", "has no result in the part 'position'"),
        (
            'd.call_eech(x, {}, [], "leg", "m")',
            "AttributeError: a Derivation has no 'call_eech'; did you mean \"call_each\"?",
        ),
        (
            'd.guard(x, ">", ZERO, Status.DEGENRATE, "m")',
            "AttributeError: Status has no 'DEGENRATE'; did you mean \"DEGENERATE\"?",
        ),
        ("y = sqrtt(x)", "NameError: name 'sqrtt' is not defined; did you mean \"sqrt\"?"),
        (
            "import math; y = math.sqrt(x)",
            "TypeError: Cannot convert expression to float; functions of expressions are sqrt, sin, cos and atan2 of",
        ),
        ("import numpy; y = numpy.sin(x)", "callable sin method; functions of expressions are"),
        ("import math; y = math.sin(v)", "must be real number, not Vector; functions of expressions are"),
        ("y = sqrt(w)", "; functions take scalar expressions, not vectors"),
        ("y = x if x > ZERO else -x", "; an expression has no value yet; d.guard(...) compares when it runs"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(body: str, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, f"{HEAD}    {body}\n")


def test_a_false_identity_is_refused_with_a_counterexample(tmp_path: Path) -> None:
    body = (
        '    y = d.scalar("y", x*x, "y")\n'
        '    d.claim_identity("square", "y is x cubed", [y - x*x, y - x*x*x], squares={})\n'
        "    return end(d, y)\n"
    )
    told = refusal(tmp_path, HEAD + body)
    assert "claim 'square' does not hold: y is x cubed (2 of 2), written with x, y; it is " in told
    size, x = (float(word.split(",")[0]) for word in (told.split("it is ")[1], told.split("x = ")[1]))
    assert size == pytest.approx(abs(x**2 - x**3), rel=1e-2)  # three digits are told


def test_a_false_zero_is_refused_with_a_counterexample(tmp_path: Path) -> None:
    body = '    y = d.scalar("y", sin(x), "y")\n    d.claim_zero("sine", "it is x", [y - x])\n    return end(d, y)\n'
    assert "claim 'sine' fails: residual " in (told := refusal(tmp_path, HEAD + body))
    assert " at x = " in told


def test_an_identity_that_may_be_true_is_not_called_false(tmp_path: Path) -> None:
    body = (
        '    s = d.scalar("s", sin(x), "s")\n    c = d.scalar("c", cos(x), "c")\n'
        '    d.claim_identity("one", "Pythagoras", [s*s + c*c - 1], squares={})\n    return end(d, s)\n'
    )
    told = refusal(tmp_path, HEAD + body)
    assert "is not proved" in told
    assert "squares=" in told
    assert "does not hold" not in told


TWO_RESULTS = """
    y = d.scalar("y", x * x, "y")
    twice = d.scalar("twice", y + y, "y, twice")
    z = d.vector("z", v * x, "z")
    d.output("y", y, meaning="y", unit="m")
    d.output("z", z, meaning="z", unit="m")
    {claim}
    return formula(d, id="tested")
"""


@pytest.mark.parametrize(
    ("claim", "unproved"),
    [
        ('d.claim_identity("a", "of y", [y - x * x])', "result 'z'"),
        ('d.claim_identity("a", "of a part", [y - x * x, z.components[0] - v.components[0] * x])', "result 'z' (z_y)"),
        ('d.claim_zero("a", "of z alone", [z.dot(z) - x * x * v.dot(v)])', "result 'y'"),
        ('d.claim_identity("a", "of none", [(x + ONE) * (x - ONE) - x * x + ONE])', "results 'y', 'z'"),
        ('d.claim_identity("a", "of any y", [twice * z.dot(v) - twice * x * v.dot(v)], keep=["twice"])', "result 'y'"),
    ],
)  # fmt: skip
def test_a_result_that_no_claim_involves_is_refused(claim: str, unproved: str, tmp_path: Path) -> None:
    """Whatever it were, all claims would hold."""
    body = HEAD + TWO_RESULTS.format(claim=claim)
    assert f"no claim involves the {unproved}, so nothing would be proved of it" in refusal(tmp_path, body)


def test_a_claim_involves_what_its_steps_are_made_of(tmp_path: Path) -> None:
    claim = 'd.claim_identity("a", "of both", [twice * z.dot(v) - x * x * x * v.dot(v) * TWO])'
    (tmp_path / "mine.py").write_text(HEAD + TWO_RESULTS.format(claim=claim), encoding="utf-8")
    assert "tested.c" in own_texts(load(str(tmp_path / "mine.py")))


def test_files_that_do_not_run_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path, "x = (\n").startswith("mine.py:1: ")
    assert refusal(tmp_path, "import nothere\n").startswith("mine.py:1: ModuleNotFoundError")
    assert "there is no 'derive'; did you mean \"derived\"?" in refusal(tmp_path, "def derived():\n    pass\n")
    with pytest.raises(InputError, match="there is no such file"):
        load(str(tmp_path / "nothing.py:derive"))


def test_nothing_is_written_of_several_if_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    good = f'{HEAD}    return end(d, d.scalar("y", x * x, "y"))\n'
    Path("good.py").write_text(good, encoding="utf-8")
    Path("wrong.py").write_text(f"{HEAD}    return 1\n", encoding="utf-8")
    assert main(["generate", "good.py", "wrong.py", "--out", "lib"]) == 2
    assert "wrong.py:derive" in capsys.readouterr().err
    assert not Path("lib").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.py", "wrong.py"]  # no cache of Python either


def test_the_call_from_python_writes_what_the_command_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    claim = 'd.claim_identity("parts", "a product", [(x + 1) * (x - 1) + 1 - y])'
    text = f'{HEAD}    y = d.scalar("y", x * x, "y")\n    {claim}\n    return end(d, y)\n'
    Path("good.py").write_text(text, encoding="utf-8")
    assert main(["generate", "good.py", "--out", "one", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["modules"] == ["tested"]
    module = load("good.py").module
    folder = symgen.derivations.generate(module, "two")
    assert {path.name for path in folder.iterdir()} == {path.name for path in Path("one/tested").iterdir()}
    code = [
        [
            line
            for line in Path(place, "tested", "tested.c").read_text(encoding="utf-8").splitlines()
            if "run:" not in line
        ]
        for place in ("one", "two")
    ]
    assert code[0] == code[1]
    assert symgen.derivations.generate(module, "two") == folder  # again: in its place
    (folder / "tested.c").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="was edited"):
        symgen.derivations.generate(module, "two")


def test_the_public_names_are_there_and_on_the_page(repository: Path) -> None:
    page = (repository / "docs" / "own-derivations.md").read_text(encoding="utf-8")
    table = page.split("## The names of")[1]
    for name in symgen.derivations.__all__:
        assert hasattr(symgen.derivations, name)
        assert f"`{name}`" in table, name


def test_a_windows_path_and_a_name_are_told_apart() -> None:
    assert is_file("C:\\mine.py:derive")
    assert is_file("C:\\mine.py")
    assert not is_file("R.R.R 2D")
    assert not is_file("symgen_instruments.trocar:derive")
