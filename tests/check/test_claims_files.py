"""Claims files: errors that help, limits that hold, the verb and its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symgen.check.claims import read_claims
from symgen.check.papers import paper_files
from symgen.check.run import check
from symgen.cli.main import main
from symgen.errors import MechanismError

HEAD = 'schema = "symgen/claims/1"\nsource = "a test"\n'
ONE = '[[claim]]\nid = "one"\nobject = "S_p"\n'


def _file(folder: Path, text: str, name: str = "claims.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def _main(*words: str) -> int:
    try:
        return main(["check", *words])
    except SystemExit as stop:
        return int(stop.code or 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "symgen/claims/1"),
        ('schema = "symgen/claims/2"', "symgen/claims/1"),
        (HEAD, "claim: there is none"),
        (HEAD + "claims = 3", 'did you mean "claim"'),
        (HEAD + "[[claim]]\nobject = 'S_p'\nprinted = 'q'", "claim 1.id: it is missing"),
        (HEAD + ONE, "one of printed and latex"),
        (HEAD + ONE + "printed = 'q'\nlatex = 'q'", "one of printed and latex"),
        (HEAD + '[[claim]]\nid = "one"\nprinted = "1"', "one of object"),
        (HEAD + ONE + "printed = 'q'\ngivn = []", 'did you mean "given"'),
        (HEAD + ONE + "printed = true", "found true"),
        (HEAD + ONE + "printed = []", "the list is empty"),
        (HEAD + ONE + "printed = 'q^2'", r"claim one.printed: \"q\^2\", character 2"),
        (HEAD + ONE + "printed = 'q'\ngiven = ['q']", "one =, != or >"),
        (HEAD + ONE + "printed = 'q'\ngiven = 'q = 1'", "give a list"),
        (HEAD + ONE + "printed = 'q'\nletters = { a = 3 }", "a shape is"),
        (HEAD + ONE + "printed = 'q'\nletters = { a = [1000] }", "from 1 to 64"),
        (HEAD + ONE + "printed = 'q'\nsymbols = { 'a b' = 'q' }", "is not a letter"),
        (HEAD + ONE + "printed = 'q'\nsymbols = { a = 'q[' }", "claim one.symbols.a"),
        (HEAD + ONE + "latex = 'q'\nsymbols = { 'x + y' = 'q' }", "is not a letter"),
        (HEAD + ONE + "latex = 'q'\nsymbols = { '\\mathbf{r}' = 'r', 'r' = 'norm(r)' }", "stands twice"),
        (HEAD + ONE + "printed = 'q'\nfunctions = { det = 'S_p' }", "means something already"),
        (HEAD + ONE + "printed = [[['q']]]", "nested too deep"),
        (HEAD + "[[claim]]\nid = \"a\\u001b[2J\"\nobject = 'S_p'\nprinted = 'q'", "printable"),
        (HEAD + ONE + "printed = 'q'\n" + ONE + "printed = 'q'", "stands twice"),
        (HEAD + ONE + "printed = '" + "(" * 10_000 + ")" * 10_000 + "'", "at most 20000|nested"),
        (HEAD + ONE + "latex = '" + "{" * 9_000 + "}" * 9_000 + "'", "nested"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_claim_and_field(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match=said):
        read_claims(_file(tmp_path, text))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ('object = "S_q"\nprinted = "q"', 'did you mean "S_'),
        ('object = "S_p"\nprinted = "p"', 'the letter "p" is not known'),
        ('object = "S_p"\nprinted = "cross"', "write cross(...)"),
        ('object = "S_p"\nprinted = "q"\nletters = { q = [4] }', "has an argument of this name"),
        ('object = "S_p"\nprinted = "q"\nfunctions = { f = "G5" }', "functions.f"),
        ('object = "S_p"\nprinted = "r**1000"', "exponent"),
        ('equals = "1"\nprinted = "9**9**9"', "exponent"),
        ('equals = "1"\nprinted = "identity(1000)"', "from 1 to 64"),
        ('equals = "1"\nprinted = "a"\nletters = { a = [] }\ngiven = ["a = 1", "a = 2"]', "contradict each other"),
        ('equals = "1"\nprinted = "a"\nletters = { a = [] }\ngiven = ["a > 1"]', "LETTER > 0"),
    ],
)
def test_letters_that_mean_nothing_are_refused(fields: str, said: str, tmp_path: Path, capsys: Any) -> None:
    assert _main(_file(tmp_path, f'{HEAD}[[claim]]\nid = "one"\n{fields}\n')) == 2
    printed = capsys.readouterr().err
    assert "claim one" in printed
    assert said in printed


@pytest.mark.slow
def test_what_takes_too_long_is_undecided_and_stops_nothing_else(tmp_path: Path) -> None:
    terms = " + ".join(f"x[{k}]" for k in range(12))
    huge = '[[claim]]\nid = "huge"\nequals = "1"\nletters = { x = [12] }\n'
    huge += f'printed = "({terms})**100 - ({terms} + 1)**100"\n'
    tower = '[[claim]]\nid = "tower"\nequals = "1"\nprinted = "((((10**99)**99)**99)**99)**99"\n'
    digits = '[[claim]]\nid = "digits"\nequals = "1"\nprinted = "1e300**100"\n'
    fine = '[[claim]]\nid = "fine"\nequals = "1"\nprinted = "1"\n'
    claims = read_claims(_file(tmp_path, HEAD + huge + tower + digits + fine)).claims
    found = {result.claim.id: result.finding for result in check(claims, limit=4.0)}
    assert {name: each.verdict for name, each in found.items()} == {
        "huge": "undecided", "tower": "undecided", "digits": "fails", "fine": "holds",
    }  # fmt: skip
    assert "within 4 s" in found["huge"].evidence


@pytest.mark.slow
def test_the_verb_tells_verdicts_numbers_and_what_was_meant(tmp_path: Path, capsys: Any) -> None:
    text = HEAD + (
        '[[claim]]\nid = "right"\nwhere = "Eq. (1)"\nobject = "central_velocity"\n'
        'printed = "(x_next - x_before)/(2*h)"\n'
        '[[claim]]\nid = "wrong"\nobject = "central_velocity"\nprinted = "(x_next + x_before)/(2*h)"\n'
    )
    file = _file(tmp_path, text)
    assert _main(file, "--json") == 1
    tree = json.loads(capsys.readouterr().out)
    right, wrong = tree["claims"]
    assert (right["id"], right["where"], right["verdict"]) == ("right", "Eq. (1)", "holds")
    assert right["counterexample"] is right["suggestion"] is right["difference"] is None
    assert (wrong["verdict"], wrong["difference"]) == ("fails", "x_before/h")
    assert wrong["counterexample"]["values"]["x_before"] != "0"
    assert wrong["suggestion"] == "(x_next - x_before)/(2*h) (a sign changed)"
    assert _main(file) == 1
    printed = capsys.readouterr().out
    assert "1 holds, 1 fails" in printed
    assert "meant?      (x_next - x_before)/(2*h)" in printed


@pytest.mark.slow
def test_the_shipped_claims_are_as_known(tmp_path: Path, capsys: Any) -> None:
    """As known, and as docs/papers.md tells; that page is made by the command in it."""
    page = tmp_path / "papers.md"
    assert _main("--page", str(page)) == 0
    assert "the known errata fail, all others hold" in capsys.readouterr().out
    made = page.read_text(encoding="utf-8").replace(str(page), "docs/papers.md")
    assert made == (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


#: The errata of formulas in the specifications, by paper.
ERRATA = {
    "dimcd": {
        *(f"eq{n}" for n in (11, 22, 24, 26, 37, 38, 68, 69, 70, 81, 90, 91)),
        "first_velocity",
        "first_acceleration",
    },
    "reactions": {"eq7"},
    "structural": {"eq4", "eq4_planar", "eq11_chains", "table16", *(f"multiple_joint_{n}" for n in (4, 5, 6, 7))},
    "topology": {"f_12"},
    "transfer": {"order_geometric"},
}


def test_the_errata_of_the_specification_are_those_that_are_marked() -> None:
    claims = {Path(file).stem: {c.id: c for c in read_claims(file).claims} for file in paper_files()}
    marked = {paper: {name for name, claim in found.items() if claim.erratum} for paper, found in claims.items()}
    assert marked == ERRATA
    right = {"27", "28", "32", "33", "34", "53", "54", "55", "56", "57", "58", "72", "75"}
    assert {f"eq{n}" for n in right} <= set(claims["dimcd"]) - ERRATA["dimcd"]


@pytest.mark.slow
def test_all_faults_of_a_file_are_told_together(tmp_path: Path, capsys: Any) -> None:
    text = HEAD + ONE + "printed = 'p'\n"
    text += '[[claim]]\nid = "fine"\nobject = "S_v"\nprinted = "S_v(q, v)"\n'
    text += '[[claim]]\nid = "two"\nobject = "S_q"\nprinted = "1"\n'
    text += '[[claim]]\nid = "three"\nequals = "1"\nprinted = "a"\nletters = { a = [] }\ngiven = ["a = 1", "a = 2"]\n'
    assert _main(_file(tmp_path, text)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    for said in ("3 faults", "claim one.printed: the letter", "claim two.object", "claim three.given"):
        assert said in printed.err


@pytest.mark.slow
def test_objects_are_listed_and_shown(capsys: Any) -> None:
    assert _main("--list", "--json") == 0
    objects = {o["name"]: o for o in json.loads(capsys.readouterr().out)["objects"]}
    rotation = objects["rotation_matrix_quaternion"]
    assert rotation["shape"] == [3, 3]
    assert [a["name"] for a in rotation["arguments"]] == ["q"]
    assert len(objects) > 400
    for form, said in (("text", "q_1*q_2"), ("latex", "q_{1}"), ("python", "entry_1 ="), ("c", "const double entry_1")):
        assert _main("--show", "rotation_matrix_quaternion", "--as", form) == 0
        assert said in capsys.readouterr().out


@pytest.fixture
def few_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    from symgen.check.catalogue import derived_objects
    from symgen.cli import check_list

    names = {"dynamics": ("S_p", "M_R", "first_step_residual"), "loops": ("exponential_turn",)}
    found = {
        family: [check_list.described(derived_objects()[name]) for name in chosen] for family, chosen in names.items()
    }
    monkeypatch.setattr(check_list, "_kept", lambda: {"families": found, "types": ["dyad_rrr", "dyad_prp"]})


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["S_p", "M_R", "first_step_residual", "exponential_turn"]),
        (("INERTIA",), ["M_R", "first_step_residual"]),  # an argument of the second
        (("inertia", "step"), ["first_step_residual"]),
        (("Eq. (10)",), ["S_p"]),
        (("--family", "loops"), ["exponential_turn"]),
        (("--family", "loops", "inertia"), []),
    ],
)
def test_words_choose_what_is_listed(
    words: tuple[str, ...], names: list[str], few_objects: None, capsys: pytest.CaptureFixture[str]
) -> None:
    types = words == ()
    assert _main("--list", *words, "--json") == (0 if names else 1)
    printed = capsys.readouterr()
    tree = json.loads(printed.out)
    assert [each["name"] for each in tree["objects"]] == names
    assert bool(tree["families"]) is types
    assert ("no derived object has" in printed.err) is not bool(names)


def test_a_list_has_short_lines(few_objects: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  S_p(q[4], r[3]): 3 x 4 [m]" in lines
    assert "      derivative of R(q) r with respect to q" in lines
    assert max(map(len, lines)) <= 110
    assert _main("--list", "rrr") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "dyad_rrr"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("one.toml", "two.toml"), "give one claims file; found 2"),
        (("--as", "c"), "--as belongs to --show"),
        (("--list", "--show", "S_p"), "give only one of"),
        (("--list", "--limit", "2"), "belong to the check of claims"),
        (("--list", "--jobs", "2"), "--jobs belongs to checks"),
        (("--limit", "0"), "--limit 0"),
        (("nothing.toml",), "nothing.toml"),
        (("nothing.txt",), ".toml or .json"),
    ],
)
def test_words_that_do_not_fit_are_refused(words: tuple[str, ...], said: str, capsys: Any) -> None:
    assert _main(*words) == 2
    assert said in capsys.readouterr().err
