"""Verdicts: what holds is proved, what fails has exact numbers that say so, and nothing else is called either."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import pytest

from symgen.algebra import symbol_names
from symgen.check.catalogue import derived_objects
from symgen.check.claims import Claim, claims_of, read_claims
from symgen.check.evaluate import SYMBOLIC, Scope
from symgen.check.examine import examine, question, suggest
from symgen.check.formula import FormulaError
from symgen.check.papers import paper_files
from symgen.check.plain import parse_plain
from symgen.check.repair import repairs
from symgen.check.verdict import compare
from symgen.errors import MechanismError


def _claim(printed: Any, **fields: Any) -> Claim:
    row = {"id": "one", "printed": printed, **fields}
    return claims_of({"schema": "symgen/claims/1", "claim": [row]}, "claims.toml").claims[0]


def _identity(printed: Any, equals: Any, given: list[str] | None = None, **letters: list[int]) -> Claim:
    return _claim(printed, equals=equals, given=given or [], letters=letters)


def test_dots_over_letters_are_the_rates_of_an_object() -> None:
    entries = (
        r"q_0 \dot q_1 - q_1 \dot q_0 {0} (q_2 \dot{q}_3 - q_3 \dot{q}_2)",
        r"q_0 \dot q_2 - q_2 \dot q_0 {0} (q_3 \dot{q}_1 - q_1 \dot{q}_3)",
        r"q_0 \dot q_3 - q_3 \dot q_0 {0} (q_1 \dot{q}_2 - q_2 \dot{q}_1)",
    )
    product = r"2 \begin{bmatrix}" + r" \\ ".join(entries) + r"\end{bmatrix}"
    for sign, verdict in (("+", "holds"), ("-", "fails")):
        row = {"id": "one", "latex": product.replace("{0}", sign), "object": "angular_velocity_world"}
        claim = claims_of({"schema": "symgen/claims/1", "claim": [row]}, "claims.toml").claims[0]
        assert examine(claim).verdict == verdict


@pytest.mark.parametrize(
    ("printed", "equals", "given", "letters"),
    [
        ("(a + b)**2", "a**2 + 2*a*b + b**2", [], {"a": [], "b": []}),
        ("1/(1 + 1/a)", "a/(a + 1)", [], {"a": []}),
        ("sin(2*a)", "2*sin(a)*cos(a)", [], {"a": []}),
        ("cos(a + b)", "cos(a)*cos(b) - sin(a)*sin(b)", [], {"a": [], "b": []}),
        ("cos(a)", "1 - 2*sin(a/2)**2", [], {"a": []}),
        ("tan(a)**2 + 1", "1/cos(a)**2", [], {"a": []}),
        ("sin(3*a)", "3*sin(a) - 4*sin(a)**3", [], {"a": []}),
        ("sqrt(a)**2", "a", [], {"a": []}),
        ("1/(sqrt(a) + sqrt(b))", "(sqrt(a) - sqrt(b))/(a - b)", [], {"a": [], "b": []}),
        ("sqrt(a**2)", "a", ["a > 0"], {"a": []}),
        ("sqrt(a**2)", "abs(a)", [], {"a": []}),
        ("a", "b", ["(a - b)**2 = 0"], {"a": [], "b": []}),
        ("a", "b", ["(a - b)*c = 0", "c != 0"], {"a": [], "b": [], "c": []}),
        ("x**4 + y**4", "1 - 2*x**2*y**2", ["x**2 + y**2 = 1"], {"x": [], "y": []}),
        ("cross(a, cross(b, c))", "b*dot(a, c) - c*dot(a, b)", [], {"a": [3], "b": [3], "c": [3]}),
        ("det(A)", "dot(A[0], cross(A[1], A[2]))", [], {"A": [3, 3]}),
        ("A*inverse(A)", "identity(3)", [], {"A": [3, 3]}),
        ("quaternion_product(q, conjugate(q))", "[dot(q, q), 0, 0, 0]", [], {"q": [4]}),
        ("norm(a)**2", "dot(a, a)", [], {"a": [3]}),
        ("sin(a)", "0", ["cos(a/2) = 0"], {"a": []}),
        ("norm(q)", "1", ["dot(q, q) = 1"], {"q": [4]}),
        ("cos(a)", "cos(b)", ["a = b"], {"a": [], "b": []}),
        ("cos(pi/3)", "1/2", [], {}),
        ("sqrt(x)**2", "abs(x)", [], {"x": []}),
        ("sqrt(a)*sqrt(b)", "sqrt(a*b)", [], {"a": [], "b": []}),
        ("sqrt(a/(b**2 + c**2)**2)", "sqrt(a)/(b**2 + c**2)", [], {"a": [], "b": [], "c": []}),
        ("sqrt(a/b**2)", "sqrt(a)/abs(b)", [], {"a": [], "b": []}),
        ("sqrt((a - b)**2*c)", "abs(a - b)*sqrt(c)", [], {"a": [], "b": [], "c": []}),
        ("sqrt(a**2*b)", "a*sqrt(b)", ["a > 0"], {"a": [], "b": []}),
        ("sqrt(a**3)", "a*sqrt(a)", ["a > 0"], {"a": []}),
        ("sqrt(8*a)", "2*sqrt(2*a)", [], {"a": []}),
        ("sqrt(a/2)", "sqrt(2*a)/2", [], {"a": []}),
        ("abs(a*b)", "abs(a)*abs(b)", [], {"a": [], "b": []}),
        ("sqrt((1 + sin(a)**2)**2)", "1 + sin(a)**2", [], {"a": []}),
        ("h/sqrt(h**2)", "1", ["h > 0"], {"h": []}),
        ("cos(a/2)**2", "1/2", ["cos(a) = 0"], {"a": []}),
    ],
)
def test_identities_hold(printed: str, equals: str, given: list[str], letters: dict[str, list[int]]) -> None:
    finding = examine(_identity(printed, equals, given, **letters))
    assert (finding.verdict, finding.counterexample) == ("holds", None)


@pytest.mark.parametrize(
    ("printed", "equals", "given", "letters"),
    [
        ("(a + b)**2", "a**2 + b**2", [], {"a": [], "b": []}),
        ("sqrt(a**2)", "a", [], {"a": []}),
        ("sin(2*a)", "2*sin(a)", [], {"a": []}),
        ("a", "b", ["a**2 = b**2"], {"a": [], "b": []}),
        ("a", "b", ["(a - b)*c = 0"], {"a": [], "b": [], "c": []}),
        ("x + y", "1", ["x**2 + y**2 = 1"], {"x": [], "y": []}),
        ("x*x*x", "2*x", ["x**2 = 3"], {"x": []}),
        ("A*B", "B*A", [], {"A": [2, 2], "B": [2, 2]}),
        ("cross(a, b)", "cross(b, a)", [], {"a": [3], "b": [3]}),
        ("cos(a)", "0", ["cos(a/2) = 0"], {"a": []}),
        ("x[0]", "x_0", [], {"x": [2], "x_0": []}),
        ("cos(x)", "a", ["cos(x/2) = a"], {"a": [], "x": []}),
        ("sin(x)", "a", ["a = sin(x/2)"], {"a": [], "x": []}),
        ("a[0, 1]", "a_0[1]", [], {"a": [2, 2], "a_0": [2]}),
        ("x", "2*x", ["h > 0"], {"x": [], "h": []}),
        ("x", "2*x", ["h != 0"], {"x": [], "h": []}),
        ("sqrt(a/b**2)", "sqrt(a)/b", [], {"a": [], "b": []}),
        ("sqrt((a - b)**2*c)", "(a - b)*sqrt(c)", [], {"a": [], "b": [], "c": []}),
        ("sqrt(a**6)", "a**3", [], {"a": []}),
        ("sqrt((a**2 - 1)**2)", "a**2 - 1", [], {"a": []}),
        ("sqrt((b - a**2)**2)", "a**2 - b", ["b > 0"], {"a": [], "b": []}),
    ],
)
def test_what_fails_has_exact_numbers(
    printed: str, equals: str, given: list[str], letters: dict[str, list[int]]
) -> None:
    claim = _identity(printed, equals, given, **letters)
    finding = examine(claim)
    assert finding.verdict == "fails"
    _is_confirmed(claim, finding)


def _is_confirmed(claim: Claim, finding: Any) -> None:
    """Put the numbers in with mpmath, by another road than SymPy's own arithmetic."""
    asked, found = question(claim), finding.counterexample
    printed = asked.scope.evaluate(claim.printed)
    with mpmath.workdps(40):
        numbers = {name: mpmath.mpf(str(value.evalf(40))) for name, value in found.values.items()}
        for zero in asked.relations.zeros:
            if set(symbol_names(zero)) <= set(numbers):
                assert abs(_number(zero, numbers)) < 1e-30
        k = found.place[0] * asked.derived.shape[1] + found.place[1] if len(found.place) == 2 else (*found.place, 0)[0]
        assert abs(_number(printed.entries[k], numbers) - _number(asked.derived.entries[k], numbers)) > 1e-20


def _number(value: Any, numbers: dict[str, Any]) -> Any:
    import sympy

    names = symbol_names(value)
    function = sympy.lambdify([sympy.Symbol(n, real=True) for n in names], value, "mpmath")
    return function(*(numbers[n] for n in names))


def test_what_is_not_decided_is_undecided() -> None:
    """The product of roots is the root of the product where both are real: true, but not shown here."""
    finding = examine(_identity("sqrt(a + b)*sqrt(a - b)", "sqrt(a**2 - b**2)", [], a=[], b=[]))
    assert finding.verdict == "undecided"
    assert "24 of 24 points tried" in finding.evidence


@pytest.mark.parametrize(
    ("printed", "equals", "letters"),
    [
        ("sqrt(-1 - x**2)", "2*sqrt(-1 - x**2)", {"x": []}),
        ("abs(acos(2 + x**2))", "-1", {"x": []}),
        ("log(-x**2)", "1", {"x": []}),
        ("sqrt(x) - sqrt(-x)", "1 + sqrt(-1 - x**2)", {"x": []}),
    ],
)
def test_where_nothing_has_a_value_nothing_is_refuted(printed: str, equals: str, letters: dict[str, list[int]]) -> None:
    finding = examine(_identity(printed, equals, [], **letters))
    assert finding.verdict == "undecided"
    assert "no point was found at which both have a value" in finding.evidence


def test_rounding_is_no_counterexample() -> None:
    big = "1" + "0" * 50
    finding = examine(
        _identity(
            f"{big}**5*sqrt(a + 2*sqrt(a*b) + b)", f"{big}**5*(sqrt(a) + sqrt(b))", ["a > 0", "b > 0"], a=[], b=[]
        )
    )
    assert finding.verdict in ("undecided", "holds")


@pytest.mark.parametrize(
    ("printed", "equals", "given"),
    [
        ("1/(a - b)", "1", ["a = b"]),
        ("(a**2 - 2*a*b + b**2)/(a - b)", "7", ["(a - b)**2 = 0"]),
    ],
)
def test_without_a_value_is_undecided(printed: str, equals: str, given: list[str]) -> None:
    finding = examine(_identity(printed, equals, given, a=[], b=[]))
    assert finding.verdict == "undecided"
    assert "divides by zero" in finding.evidence


@pytest.mark.parametrize(
    "given", [["a = 1", "a = 2"], ["a = 0", "a != 0"], ["1/0 = 0"], ["1 = 2"], ["a**2 = 0", "a > 0"]]
)
def test_conditions_that_contradict_each_other_are_refused(given: list[str]) -> None:
    with pytest.raises(MechanismError, match=r"contradict each other|divides by zero"):
        examine(_identity("7", "3", given, a=[]))


def test_what_an_object_takes_for_positive_is_positive() -> None:
    claim = _claim("(x_next - x_before)/(2*sqrt(h**2))", object="central_velocity")
    assert examine(claim).verdict == "holds"


def test_limits_of_ours_are_no_verdict() -> None:
    for printed in ("trace(inverse(identity(7)))", "dot(a, a)**2 + a*a", "a**2"):
        with pytest.raises(MechanismError, match=r"at most 6|read in two ways|powers"):
            examine(_identity(printed, "5", [], a=[3]))


def test_sizes_that_do_not_fit_fail() -> None:
    finding = examine(_identity("a*b", "a", [], a=[3], b=[4]))
    assert (finding.verdict, finding.evidence) == ("fails", "sizes")
    assert examine(_identity("a", "transpose(a)", [], a=[3])).evidence == "sizes"


@pytest.mark.parametrize(
    ("printed", "fields", "meant"),
    [
        ("dot(q, q) + 1", {"equals": "dot(q, q) - 1", "letters": {"q": [4]}}, "a sign changed"),
        ("2*a*b", {"equals": "a*b", "letters": {"a": [], "b": []}}, "a factor 2 added or taken away"),
        ("q[0]*q[1]", {"equals": "q[0]*q[2]", "letters": {"q": [4]}}, "an index changed"),
        ("a + b", {"equals": "a**2 + b", "letters": {"a": [], "b": []}}, "a square added or taken away"),
        ("A*b", {"equals": "transpose(A)*b", "letters": {"A": [3, 3], "b": [3]}}, "a matrix transposed"),
        ("A*B", {"equals": "B*A", "letters": {"A": [2, 2], "B": [2, 2]}}, "two factors in the other order"),
        ("3*a", {"equals": "4*a", "letters": {"a": []}}, "a number changed"),
        ("a*c", {"equals": "b*c", "letters": {"a": [], "b": [], "c": []}}, "another letter"),
        ("a + b + c", {"equals": "a + c", "letters": {"a": [], "b": [], "c": []}}, "a term or a factor less"),
        (
            "1 + q0 + q1",
            {"equals": "1 + q0**2 + q1**2", "letters": {"q0": [], "q1": []}},
            "a square added or taken away",
        ),
    ],
)
def test_what_was_meant_is_found_and_proved(printed: str, fields: dict[str, Any], meant: str) -> None:
    claim = _claim(printed, **fields)
    said = suggest(claim)
    assert said.endswith(f"({meant})")
    repaired = said.rsplit(" (", 1)[0]
    assert examine(_claim(repaired, **fields)).verdict == "holds"


RIGHT, OTHERS = (
    [c for file in paper_files() if ("dimcd" in file) == first for c in read_claims(file).claims if not c.erratum]
    for first in (True, False)
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("claim", RIGHT, ids=lambda claim: claim.id)
def test_a_right_formula_with_one_slip_is_not_called_right(claim: Claim) -> None:
    """A slip that makes no difference, such as the other order of a product of scalars, may hold: numbers say which."""
    _slips_are_found_out(claim, 4)


@pytest.mark.slow
@pytest.mark.parametrize("claim", OTHERS[::7], ids=lambda claim: claim.id)
def test_a_right_formula_of_the_other_papers_with_one_slip_is_not_called_right(claim: Claim) -> None:
    if not claim.given:  # points of these are not on the conditions
        _slips_are_found_out(claim, 2)


def _slips_are_found_out(claim: Claim, count: int) -> None:
    asked, rng = question(claim), random.Random(claim.id)
    slips = list(repairs(claim.printed, ()))
    for _, formula in rng.sample(slips, min(count, len(slips))):
        try:
            wrong = asked.scope.evaluate(formula)
        except FormulaError:
            continue
        if wrong.shape != asked.derived.shape:
            continue
        verdict = compare(wrong, asked.derived, asked.relations).verdict
        assert verdict == ("holds" if _agree(asked, wrong) else "fails"), formula


def _agree(asked: Any, value: Any) -> bool:
    """Compare in floats at random points on the side conditions: unit quaternions, the rest as it comes."""
    rng = random.Random(4)
    for _ in range(6):
        names = {n for each in (value, asked.derived) for e in each.entries for n in symbol_names(e)}
        point = {name: rng.uniform(0.2, 1.0) for name in sorted(names)}
        for zero in asked.relations.zeros:
            ball = symbol_names(zero)
            size = sum(point.get(n, 0.0) ** 2 for n in ball) ** 0.5
            if size:
                point.update({n: point[n] / size for n in ball if n in point})
        with mpmath.workdps(30):
            numbers = {n: mpmath.mpf(v) for n, v in point.items()}
            one = [_number(e, numbers) for e in value.entries]
            two = [_number(e, numbers) for e in asked.derived.entries]
        if any(abs(a - b) > 1e-9 for a, b in zip(one, two, strict=True)):
            return False
    return True


def test_an_object_takes_any_formula_as_argument() -> None:
    """R(p q) = R(p) R(q) of unit quaternions: each side is made of derived objects."""
    claim = _identity(
        "rotation_matrix_quaternion(quaternion_product(p, q))",
        "rotation_matrix_quaternion(p)*rotation_matrix_quaternion(q)",
        ["dot(p, p) = 1", "dot(q, q) = 1"],
        p=[4],
        q=[4],
    )
    assert examine(claim).verdict == "holds"


def test_every_object_equals_itself_and_nothing_else() -> None:
    for name in ("S_p", "G4", "central_acceleration"):
        found = derived_objects()[name]
        arguments = ", ".join(a.name for a in found.arguments)
        assert examine(_claim(f"{name}({arguments})", object=name)).verdict == "holds"
        assert examine(_claim(f"2*{name}({arguments})", object=name)).verdict == "fails"
    scope: Scope[Any] = Scope({}, derived_objects(), SYMBOLIC)
    formula = parse_plain("S_p(1)")
    with pytest.raises(FormulaError, match="takes 2 arguments"):
        scope.evaluate(formula)


def test_greek_letters_have_their_names_in_words() -> None:
    row = {"id": "one", "latex": r"\dot\theta_1 \sin(\theta)", "equals": "thetadot_1*sin(theta)"}
    row["letters"] = {"theta": [], "thetadot_1": []}  # type: ignore[assignment]
    claim = claims_of({"schema": "symgen/claims/1", "claim": [row]}, "claims.toml").claims[0]
    assert examine(claim).verdict == "holds"


def test_a_free_letter_is_not_the_step_that_has_its_name() -> None:
    """From a review: with a call of one step the names of the others stood for them, on both sides."""
    for printed in ("(d2 + l_a**2 - l_b**2)/2", "(d2 + l_a**2 - l_b**2)/2 + 0*dyad_rrr_d2(a, b)"):
        assert examine(_claim(printed, object="dyad_rrr_foot", letters={"d2": []})).verdict == "fails"
    assert examine(_claim("(dyad_rrr_d2(a, b) + l_a**2 - l_b**2)/2", object="dyad_rrr_foot")).verdict == "holds"


@pytest.mark.parametrize(("one", "two"), [("abs(x)", "sqrt(x)**2"), ("x", "exp(log(x))"), ("x*y", "x**2*y/x")])
def test_both_sides_say_where_a_claim_is_asked(one: str, two: str) -> None:
    """From a review: abs(x) failed against sqrt(x)**2 at x = -1, where the root has no value, and held turned round."""
    for printed, equals in ((one, two), (two, one)):
        assert examine(_identity(printed, equals, x=[], y=[])).verdict == "holds"


@pytest.mark.parametrize(
    ("printed", "equals", "given"),
    [
        ("abs(x)", "-1", ["x > 0", "x + 1 = 0"]),
        ("x**4", "1", ["x**2 = -1"]),
        ("x + 0*sqrt(-1 - x**2)", "x", []),
    ],
)
def test_what_is_asked_of_no_real_number_does_not_hold(printed: str, equals: str, given: list[str]) -> None:
    finding = examine(_identity(printed, equals, given, x=[]))
    assert finding.verdict == "undecided"
    assert "no point was found" in finding.evidence
