"""Reports as HTML, LaTeX, PDF and Markdown: their structure, that names are text, that nothing is half written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import symgen
from symgen.cli.main import main
from symgen.report.document import (
    CodeName,
    DerivedStep,
    DerivedSteps,
    Document,
    Formulas,
    Heading,
    Paragraph,
    Picture,
    Table,
)
from symgen.report.html import html
from symgen.report.latex import latex
from symgen.report.layout import latex as spell
from symgen.report.markdown import markdown

VENDOR = Path(symgen.__file__).parent / "report" / "vendor" / "katex"
REPOSITORY = Path(__file__).resolve().parents[2]
ROTOR, SPATIAL = (str(REPOSITORY / "examples" / name / "mechanism.toml") for name in ("rotor", "spatial_four_bar"))
BREAK = "\n"
HOSTILE = "</script><b onload=x>|*y* `z` $\\input{a}$ %_{#}~^ \u4e2d\u202e"


@cache
def report(subject: str, suffix: str) -> str:
    """Return a report; made once."""
    folder = Path(os.environ["SYMGEN_CACHE"])
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"report-{hashlib.sha256(subject.encode()).hexdigest()[:8]}{suffix}"
    assert main(["report", subject, "--out", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    target.unlink()
    return text


class Page(HTMLParser):
    """Reads a page and refuses what is not nested."""

    EMPTY = frozenset({"meta", "img", "br"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.formulas: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        found = dict(attrs)
        if found.get("class") == "m":
            self.formulas.append(found["data-tex"] or "")
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.words.append(data)


def own_text(page: str) -> str:
    """Return a page without the vendored library."""
    return re.sub(r"/\* KaTeX begins \*/.*?/\* KaTeX ends \*/", "", page, flags=re.DOTALL)


def document_of(text: str) -> Document:
    """Return a document that has a text at every place."""
    return Document(
        text,
        (
            Heading(text, 1), Heading(text), Heading(text, 3), Heading("x"), Paragraph(text), Paragraph(text, True),
            Formulas((f"{text}: z_1 - D z_2 = 0   (3 rows)", f"  U_1 {text} z_1")),
            Table((text, "n"), ((text, CodeName(text)),)),
            Table((text, "n"), ((text, CodeName(text)),), is_notated=True),
            DerivedSteps((DerivedStep("1", text, text, text, (), text),), text),
            Picture("<svg xmlns='http://www.w3.org/2000/svg'/>", text),
        ),
    )  # fmt: skip


def latex_is_balanced(text: str) -> None:
    """Brackets, dollars and environments close in the order in which they open; nothing but ASCII."""
    text.encode("ascii")
    body = re.sub(r"\\[\\{}$%&#_~^]", "", text)
    assert "%" not in body
    for line in body.splitlines():
        assert line.count("$") % 2 == 0, line
    stack: list[str] = []
    for found in re.finditer(r"\\(begin|end)\{(\w+\*?)\}|[{}]", body):
        if found[0] == "{" or found[1] == "begin":
            stack.append(found[2] or "{")
        else:
            assert stack.pop() == (found[2] or "{")
    assert stack == []
    assert body.count(r"\left") == body.count(r"\right")


def test_the_vendored_files_are_those_that_the_notice_names() -> None:
    notice = (VENDOR / "NOTICE").read_text(encoding="utf-8")
    files = sorted(path for path in VENDOR.rglob("*") if path.is_file() and path.name != "NOTICE")
    assert sum(path.stat().st_size for path in files) < 600_000
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert f"sha256 {digest}  {path.relative_to(VENDOR).as_posix()}" in notice
    assert "The MIT License" in (VENDOR / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("subject", ["R.R.R 2D", pytest.param(ROTOR, marks=pytest.mark.slow)])
def test_a_page_is_one_file_that_fetches_nothing(subject: str) -> None:
    text = report(subject, ".html")
    page = Page(text)
    assert "default-src 'none'" in text
    own = own_text(text)
    outside = [value for _, name, value in page.attributes if name in ("src", "href") and value[:1] != "#"]
    assert outside
    assert all(value.startswith("data:image/svg+xml;base64,") for value in outside)
    assert re.findall(r"https?://(?!www\.w3\.org/)|@import|url\((?!data:)|\bfetch\(", own) == []
    assert re.findall(r"url\((?!data:font/woff2;base64,)", text.split("<script>")[0]) == []
    assert len(page.formulas) > 50
    assert len(re.findall(r'data-tex="[^"]*"><math ', text)) == len(page.formulas)
    assert len(text) < 2_500_000


def test_its_mathematics_is_mathml_where_no_script_runs() -> None:
    for formula in re.findall(r"<math .*?</math>", own_text(report("R.R.R 2D", ".html"))):
        root = ElementTree.fromstring(formula)  # noqa: S314 - made here
        assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
            "math", "mrow", "mi", "mn", "mo", "msub", "msup", "msubsup", "mfrac", "msqrt", "mtable", "mtr", "mtd",
            "mtext", "mspace",
        }  # fmt: skip


def test_each_step_stands_beside_its_c() -> None:
    text = report("R.U.S 3D", ".html")
    step = re.search(
        r'<div class="step">(?:(?!<div class="step">).)*how S moves with angle of j1.*?</pre>', text, re.DOTALL
    )
    assert step is not None
    assert (
        r"\mathbf{g}_{1} = \mathbf{e}_{z , \mathrm{j1}} \times ( \mathbf{s}_{\mathrm{far}} - \mathbf{r}_{\mathrm{j1}} )"
        in step[0]
    )
    assert "const vec3 g1 = cross(j1_z, sub(s_far, j1_at));" in step[0]
    words = "".join(Page(text).words)
    for heading in ("Branches", "Conditions of validity", "Singular set", "Proofs", "Functions", "Notation"):
        assert heading in words


def derived_steps(formulas: list[tuple[str, str]], meaning: str = "", **functions: str) -> list[DerivedStep]:
    """Return steps (name, formula) as they are derived from a listing; functions of C by name, their bodies."""
    from symgen.report.c_listing import read_listing
    from symgen.report.derivation import Level

    steps = [
        {"name": name, "formula": formula, "meaning": meaning, "unit": "m", "source": "", "stage": "position"}
        for name, formula in formulas
    ]
    code = "".join(
        f"static symgen_status solve_{name}(\n)\n{{\n    const {body.replace('; ', f';{BREAK}    const ')};\n}}\n"
        for name, body in functions.items()
    )
    return [step for _, _, step in Level("kernel", steps, read_listing(code), "m").derived()]


def test_a_form_in_vectors_is_shown_only_if_it_is_the_step() -> None:
    arm = ("arm", "arm_x = s_x - p_x; arm_y = s_y - p_y; arm_z = s_z - p_z")
    given = "vec3 s = vec3_at(s_in); vec3 p = vec3_at(p_in)"
    for value, lines in (("sub(s, p)", 1), ("sub(p, s)", 3), ("add(s, p)", 3), ("nonsense(s)", 3)):
        (step,) = derived_steps([arm], kernel_position=f"{given}; vec3 arm = {value}")
        assert step.code == f"const vec3 arm = {value};"
        assert len(step.lines) == lines


def test_a_name_that_comes_again_keeps_its_formula_and_its_code() -> None:
    steps = derived_steps(
        [("t", "t = a + b"), ("u", "u = 2*t"), ("t", "t = a*b"), ("u", "u = 3*t")],
        kernel_position="real t = a*b; real u = R(3.0)*t",
        m_inner="real t = a + b; real u = R(2.0)*t",
    )
    assert [step.code for step in steps] == [
        "const real t = a + b;", "const real u = R(2.0)*t;", "const real t = a*b;", "const real u = R(3.0)*t;",
    ]  # fmt: skip
    shown = [spell(step.lines[0]) for step in steps]
    assert shown == ["t = a + b", r"u = 2 \,\allowbreak  t", r"t = a \,\allowbreak  b", r"u = 3 \,\allowbreak  t"]


def test_a_square_is_written_as_one_only_if_it_is() -> None:
    for formula, shown in (("h*h", "h^{2}"), ("h*k", "h_{2}")):
        steps = derived_steps([("h", "h = a + b"), ("h2", f"h2 = {formula}")], meaning="squared height")
        assert spell(steps[1].lines[0]).split(" = ")[0] == shown


def test_conditions_are_those_of_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "R.R.R 2D", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    statuses = {each["status"] for each in found["conditions"]}
    assert {"NO_ASSEMBLY", "SINGULAR", "BAD_INPUT"} <= statuses
    assert statuses <= {*found["statuses"]}
    # the dyad is singular where its links are aligned
    singular = report("R.R.R 2D", ".md").split("## Singular set")[1].split("##")[0]
    assert {"| area2 = 0 ", "| det = 0 "} <= {
        line[: line.index("= 0 ") + 4] for line in singular.splitlines() if "= 0" in line
    }


def test_no_report_needs_sympy(tmp_path: Path) -> None:
    code = (
        "import sys; from symgen.cli.main import main; "
        f"[main(['report', name, '--out', {str(tmp_path / 'x.html')!r}]) for name in ('R* 2D', {SPATIAL!r})]; "
        "print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


def test_a_mechanism_tells_its_structure_its_types_and_why_it_has_no_transfer_equation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "".join(Page(report(SPATIAL, ".html")).words)
    assert "Mechanism and structure" in words
    assert "Structural groups in solving order" in words
    assert "Conditions of validity" in words
    assert "There is no overall transfer equation to report: unequal freedoms" in words
    capsys.readouterr()
    assert main(["report", SPATIAL, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "symgen/mechanism-report/1"
    assert found["structure"]["status"] == "determined"
    assert found["no_overall_equation"].startswith("unequal freedoms")
    assert all(found["solved_types"].values())


@pytest.mark.parametrize("text", [HOSTILE, "", "a_1", "x" * 3000])
def test_texts_are_text_in_every_form(text: str) -> None:
    document = document_of(text)
    page = html(document)
    assert "<b onload" not in page
    words = "".join(Page(page).words)
    assert text.strip("\u202e").split("`")[0] in words
    latex_is_balanced(latex(document))
    assert "\\input" not in latex(document)
    outside = re.sub(r"```text.*?```", "", markdown(document), flags=re.DOTALL)
    assert re.search(r"(?<!\\)<b", outside) is None


@pytest.mark.parametrize(
    "subject", ["R.R.R 2D", *(pytest.param(each, marks=pytest.mark.slow) for each in ("slot_rl", ROTOR, SPATIAL))]
)
def test_latex_is_balanced(subject: str) -> None:
    text = report(subject, ".tex")
    latex_is_balanced(text)
    assert text.startswith(r"\documentclass")
    assert text.endswith("\\end{document}\n")


def test_the_suffix_says_the_form_and_others_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "R.R.R 2D", "--out", str(tmp_path / "x.docx")]) == 2
    err = capsys.readouterr().err
    assert all(suffix in err for suffix in (".html", ".tex", ".pdf", ".md"))
    assert list(tmp_path.iterdir()) == []


# -- PDF -------------------------------------------------------------------------------------------------------------


def _tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys, pathlib\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


PRINTS = """
target = next(word for word in sys.argv if word.startswith("--print-to-pdf=")).partition("=")[2]
page = pathlib.Path(sys.argv[-1].removeprefix("file://")).read_text()
assert "<!doctype html>" in page and "--headless" in sys.argv
pathlib.Path(target).write_bytes(b"%PDF-1.4 of the browser")
"""
SETS = """
text = pathlib.Path(sys.argv[-1]).read_text()
assert text.startswith("\\\\documentclass") and "-no-shell-escape" in sys.argv
pathlib.Path("report.pdf").write_bytes(b"%PDF-1.5 of LaTeX")
"""


@pytest.mark.skipif(os.name != "posix", reason="tools in PATH are scripts here")
@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ({"chromium": PRINTS, "pdflatex": SETS}, b"%PDF-1.4 of the browser"),
        ({"chromium": "sys.exit('no display')", "pdflatex": SETS}, b"%PDF-1.5 of LaTeX"),
        ({"pdflatex": SETS}, b"%PDF-1.5 of LaTeX"),
        ({"chromium": "sys.exit('no display')"}, "no display"),
        ({"chromium": "pass"}, "exit status 0"),
        ({}, "install chromium or texlive-latex-base"),
    ],
)
def test_a_pdf_is_made_by_what_is_there_or_refused(
    tools: dict[str, str], expected: bytes | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "bin").mkdir()
    for name, body in tools.items():
        _tool(tmp_path / "bin", name, body)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    target = tmp_path / "x.pdf"
    status = main(["report", "R* 2D", "--out", str(target)])
    if isinstance(expected, bytes):
        assert (status, target.read_bytes()) == (0, expected)
    else:
        assert status == 2
        assert expected in capsys.readouterr().err
        assert not target.exists()


@pytest.mark.skipif(os.name != "posix", reason="tools in PATH are scripts here")
def test_a_tool_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symgen.errors import InputError
    from symgen.report import pdf

    (tmp_path / "bin").mkdir()
    _tool(tmp_path / "bin", "chromium", "import time; time.sleep(600)")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(pdf, "_SECONDS", 0.3)
    with pytest.raises(InputError, match=r"no answer in 0\.3 s"):
        pdf.pdf(Document("x", ()))


@pytest.mark.provers
@pytest.mark.skipif(not any(map(shutil.which, ("chromium", "google-chrome"))), reason="needs chromium")
def test_a_browser_prints_a_pdf(tmp_path: Path) -> None:
    assert main(["report", "R.R.R 2D", "--out", str(tmp_path / "x.pdf")]) == 0
    content = (tmp_path / "x.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"KaTeX_Main" in content  # its fonts are in the file: the script has run


@pytest.mark.provers
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("subject", ["R.U.S 3D", SPATIAL, None])
def test_latex_compiles(subject: str | None, tmp_path: Path) -> None:
    text = latex(document_of(HOSTILE)) if subject is None else report(subject, ".tex")
    (tmp_path / "x.tex").write_text(text, encoding="ascii")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"], cwd=tmp_path, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=180,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-800:]


# -- KaTeX -----------------------------------------------------------------------------------------------------------

STRICT = """
const katex = require(process.argv[2]);
let text = "";
process.stdin.on("data", (part) => (text += part)).on("end", () => {
  const bad = [];
  for (const each of JSON.parse(text)) {
    try { katex.renderToString(each, { throwOnError: true, strict: "error" }); }
    catch (error) { bad.push([each, String(error)]); }
  }
  console.log(JSON.stringify(bad));
});
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to run KaTeX")
@pytest.mark.parametrize(
    "subject",
    ["R.R.R 2D", None, *(pytest.param(each, marks=pytest.mark.slow) for each in ("R.U.S 3D", SPATIAL, ROTOR))],
)
def test_katex_reads_every_formula(subject: str | None, tmp_path: Path) -> None:
    page = html(document_of("joint_1 \u00f6 #")) if subject is None else report(subject, ".html")
    formulas = sorted(set(Page(page).formulas))
    assert formulas
    (tmp_path / "strict.js").write_text(STRICT, encoding="utf-8")
    done = subprocess.run(
        ["node", "strict.js", str(VENDOR / "katex.min.js")], input=json.dumps(formulas), cwd=tmp_path,
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == []
