"""User_Data.m: the listing of the paper gives its mechanism; whatever else stands there is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.errors import SymgenError
from symgen.model.importers.user_data import import_user_data, parse_user_data
from symgen.model.load import parse_text
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse

LISTING = Path(__file__).parent / "data" / "User_Data.m"
TEXT = LISTING.read_text(encoding="utf-8")


def script(m: str, known: str = "[0 1;1 0]", kind: str = "'3D'") -> str:
    return f"ProblemType = {kind};\nM = {m};\nKnownInputs = {known};\n"


def test_the_listing_of_the_paper_gives_its_table() -> None:
    found = import_user_data(LISTING)
    structure = analyse(found.mechanism)
    # Celdran, Saura, Dopico 2022, Eq. (6) to (11): groups {2} 1R3D, {3, 4} 1P1C1S3D
    assert [(group.bodies, group.type) for group in structure.groups] == [(("2",), "1R3D"), (("3", "4"), "1P1C1S3D")]
    assert structure.results_sa == ((0, 1, 2, 2), (1, 0, 0, 0), (0, 2, 0, 0), (1, 0, 0, 0))
    assert (structure.status, structure.mobility, structure.driven) == ("determined", 1, 1)


def test_digits_off_the_diagonal_mean_no_pair_and_are_noted_once() -> None:
    notes = import_user_data(LISTING).notes
    assert notes == ("M holds digits in 4 cells off the diagonal: read as '-', no pair",)
    clean = TEXT
    for digit, cell in (("'2' 'P'", "'-' 'P'"), ("'S' '1'", "'S' '-'"), ("'1' 'S' '3'", "'-' 'S' '3'")):
        clean = clean.replace(digit, cell)
    clean = clean.replace("'P' '2' 'C'", "'P' '-' 'C'")
    found = parse_user_data(clean)
    assert found.notes == ()
    assert found.mechanism == import_user_data(LISTING).mechanism


def test_problem_type_is_the_number_of_freedoms_of_a_free_body() -> None:
    # B of the paper: a number 3 is planar and a text '3D' spatial; neither may be taken for the other.
    m = "{'1' 'R'; 'R' '2'}"
    spaces = {
        kind: parse_user_data(script(m, kind=kind)).mechanism for kind in ("3", "'3'", "'2D'", "6", "'6'", "'3D'")
    }
    assert [each.freedom_count for each in spaces.values()] == [3, 3, 3, 6, 6, 6]


def test_the_written_file_reads_back_equal() -> None:
    found = import_user_data(LISTING)
    for suffix in (".toml", ".json"):
        assert Mechanism.from_dict(parse_text(found.text(suffix), suffix)) == found.mechanism
    assert found.text() == import_user_data(LISTING).text()
    assert json.loads(found.text(".json"))["joints"]["2-3"] == {"type": "S", "bodies": ["2", "3"]}


@pytest.mark.parametrize(
    "text",
    [
        script("{'1','R';'R','2'}"),
        script("{'1' 'R' ; 'R' '2' ; }"),
        script('{"1" "R"\n"R" "2"}'),
        script("['1R';'R2']"),
        script("{1 'R'; 'R' 2}"),
        script("{'-' 'R'; 'R' '-'}", "[0 1; 0 0]"),
        script("{'1' ... the first row\n 'R' % and its end\n 'R' '2'\n}", "[0, 1\n\n1, 0]", "6"),
        script("{'1' 'R'; 'R' '2'}", kind="3"),  # B of the plane
        "global ProblemType M;\n" + script("{'1' 'R'; 'R' '2'}", "zeros(length(M)); KnownInputs(1,2) = 1"),
        script("{'1' '-'; 'R' '2'}; N = size(M,1); M{1,2} = 'R'", "zeros(N, N)\nKnownInputs(2, 1) = 1;"),
        script("{'1' 'R'; '-' '2'}; M(2,1) = {'R'}"),
        "%{\n M = {'x'}\n%}\r\n" + script("{'1' 'R'; 'R' '2'}").replace("\n", "\r\n"),
        "# Octave\nclose all\n" + script("{'1' 'R'; 'R' '2'}", "{'0' '1'; '1' '0'}").replace(";\n", "\n"),
    ],
)
def test_ways_to_write_the_same(text: str) -> None:
    mechanism = parse_user_data(text).mechanism
    assert [(joint.id, joint.type, joint.driven) for joint in mechanism.joints] == [("1-2", "R", 1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (script("eye(2)"), r'line 2, column 5: found "eye": calls other than length'),
        (script("other"), r'line 2, column 5: found "other": names and calls are not evaluated'),
        (script("{'1' 'R'; 'R'}"), r"line 2, column 15: this row has 1 entries, the first row has 2"),
        (script("{'1' 'R'; 'R' '2'").replace(";\nKnown", "\nKnown"), r"line 3, column 1: found \"KnownInputs\""),
        ("M = {'1'", r"line 1, column 5: this \{ is never closed by \}"),
        ("M = {'1", "line 1, column 6: .*never closed"),
        (script("{'1' 'R'; 'R' '2'}'"), "column 23: .*never closed"),
        (script("{'1' 'R'; 'R' '2'} + 1"), "column 24.*not evaluated"),
        (script("{'1' 'R' 'S'; 'R' '2' '-'}"), "M is 2 x 3"),
        (script("{'1' 'R'; 'S' '2'}"), r'M\(2,1\) holds "S", M\(1,2\) holds "R"; M must be symmetric'),
        (script("{'1' 'Q'; 'Q' '2'}"), 'no pair type "Q"'),
        (script("{'1' 'S'; 'S' '2'}", kind="'2D'"), 'no pair type "S".*planar'),
        (script("{'R' 'R'; 'R' '2'}"), "on the diagonal"),
        (script("{'2' 'R'; 'R' '1'}"), "on the diagonal"),
        (script("{'1' 'R'; 'R' '2'}", "[0 2; 2 0]"), "2 freedoms of R are driven; it has 1"),
        (script("{'1' 'C'; 'C' '2'}", "[0 2; 1 0]"), "must be symmetric"),
        (script("{'1' '-'; '-' '2'}"), "M has no such pair"),
        (script("{'1' 'R'; 'R' '2'}", "[0 0.5; 0 0]"), "numbers of driven freedoms"),
        (script("{'1' 'R'; 'R' '2'}", "[0 -1; 0 0]"), "numbers of driven freedoms"),
        (script("{'1' 'R'; 'R' '2'}", "[0 0 0;0 0 0;0 0 0]"), "is for 3 bodies, M for 2"),
        (script("{'1' 'R'; 'R' '2'}", kind="'4D'"), r"allowed are 3 \(planar\) and 6 \(spatial\).*'2D' and '3D'"),
        (script("{'1' 'R'; 'R' '2'}", kind="2"), r'ProblemType "2": allowed are 3 \(planar\)'),
        (script("{'1' 'S'; 'S' '2'}", kind="3"), 'no pair type "S"; that type is spatial and needs ProblemType 6'),
        ("N = length(M)\nM = {}", "length needs a name that was assigned before"),
        (script("{'1' 'R'; 'R' '2'}", "zeros(3); KnownInputs(4,1) = 1"), r"KnownInputs\(4,1\): .* of a 3 x 3 matrix"),
        (script("{'1' 'R'; 'R' '2'}", "zeros(2)(1)"), "expected the end of the assignment"),
        (script("{'1' 'R'; 'R' '2'}", "zeros(1e5)"), "too large"),
        (script("{'1' 'R'; 'R' '2'}", "zeros(0.5)"), "a size or an index is a whole number"),
        (script("{'1' 'R'; 'R' '2'}", "ones(2)"), r"calls other than length\(M\)"),
        (script("{'1' 'R'; 'R' '2'}; M(1,2) = {'R' 'P'}"), "must be one number or text, found a matrix"),
        ("N = 3; N(1,1) = 2", '"N" is not a matrix'),
        (script("{'1' 'R'; 'R' '2'}") + "M = {}", '"M" is assigned twice'),
        ("ProblemType = '3D'\nm = {}\nKnownInputs = []", 'M is missing; did you mean "m"'),
        ("system('rm')", '"system" is not an assignment of a literal; calls are not run'),
        ("clear(all)", "expected the end of the command"),
        ("%{\n%{\n%}\nM = 1", "line 1: this block comment is never closed"),
        (script("{}"), "M is empty"),
        (script("{{'1'} 'R'; 'R' '2'}"), "can only contain numbers and quoted texts"),
        (script("5"), "must be a matrix"),
        ("", "assigns nothing; ProblemType, M, KnownInputs are needed"),
    ],
)
def test_whatever_is_no_literal_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(SymgenError, match=words):
        parse_user_data(text)


def test_a_count_below_the_grade_is_kept_and_noted() -> None:
    found = parse_user_data(script("{'1' 'C'; 'C' '2'}"))
    assert found.mechanism.joints[0].driven_freedoms is None
    assert found.notes == ("KnownInputs does not say which freedoms of 1-2 are driven",)


PIECES = st.sampled_from(
    [
        "'",
        '"',
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "\n",
        "=",
        "M",
        "R",
        "'R'",
        "1",
        "-",
        ".",
        "...",
        "%",
        "%{",
        "\0",
        "é",
        "(",
        ")",
        "M(1,2)=",
        "zeros(",
        "N=length(M)",
    ]
)


def outcome(text: str) -> str:
    """The message if the text is refused; a text that is not must survive writing. Any other exception is a failure."""
    try:
        found = parse_user_data(text)
    except SymgenError as error:
        return str(error)
    assert Mechanism.from_dict(parse_text(found.text(), ".toml")) == found.mechanism
    return "read"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_broken_listing_is_a_mechanism_or_a_refusal(data: st.DataObject) -> None:
    text = TEXT
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 12))
        text = text[:at] + "".join(data.draw(st.lists(PIECES, max_size=3))) + text[at + cut :]
    assert 0 < len(outcome(text)) < 2000


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200) | st.lists(PIECES, max_size=60).map("".join))
def test_any_text_is_a_mechanism_or_a_refusal(text: str) -> None:
    assert all(line.isprintable() for line in outcome(text).split("\n"))


@pytest.mark.slow
def test_long_scripts_are_read_in_linear_time() -> None:
    # each of these once made a naive reader go over the text again and again
    for text in (
        "{" * 100_000,
        "'" * 100_001,
        "[" + "1 " * 200_000,
        "%{\n" * 50_000,
        "1" * 100_000,
        "..." * 50_000,
        "zeros(" * 50_000,
    ):
        with pytest.raises(SymgenError):
            parse_user_data(f"M = {text}")
