"""The database: a killed run goes on where it was, what it holds is what was asked, foreign files are not touched."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from mechanisms_for_structure import plain, reference, reference_mechanism

from symgen.errors import InputError
from symgen.topology.transformations import transform as module
from symgen.topology.transformations.stored import read_transformations
from symgen.topology.transformations.transform import transform

_SCRIPT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from mechanisms_for_structure import reference, reference_mechanism
from symgen.topology.transformations import transform as module
module._STEP = module._FEW = 100
data = reference("rotor")
calls = {"choices": 0, "structures": 0, "search": 0}
def progress(done, total, name):
    calls[name] += 1
    if (name, calls[name]) == (sys.argv[3], int(sys.argv[4])):
        os.kill(os.getpid(), signal.SIGKILL)
rotor = reference_mechanism(data, data["cases"][0])
module.transform(rotor, database=sys.argv[2], most=int(sys.argv[5]), progress=progress)
"""


def _rotor():
    data = reference("rotor")
    return reference_mechanism(data, data["cases"][0])


def _killed(path: Path, stage: str, call: int, most: int) -> None:
    folder = Path(__file__).resolve().parents[1]
    words = [sys.executable, "-c", _SCRIPT, str(folder), str(path), stage, str(call), str(most)]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("stage", "call", "most"),
    [("choices", 1, 10_000), ("choices", 6, 10_000), ("structures", 3, 10_000), ("search", 7, 0)],
)
def test_a_killed_run_goes_on_where_it_was_and_ends_in_the_same_table(tmp_path, stage, call, most):
    path = tmp_path / "rotor.sqlite"
    _killed(path, stage, call, most)
    with pytest.raises(InputError, match="did not finish"):
        read_transformations(path)
    calls = []
    found = transform(_rotor(), database=path, most=most, progress=lambda *given: calls.append(given))
    step = {"choices": 100, "structures": 100, "search": 1}[stage]
    assert next(done for done, _, name in calls if name == stage) == step * (call - 1)
    assert found == transform(_rotor(), most=most)


def test_a_finished_database_answers_without_new_work(tmp_path):
    path = tmp_path / "rotor.sqlite"
    first = transform(_rotor(), database=path)
    before = path.read_bytes()
    calls = []
    assert transform(_rotor(), database=path, progress=lambda *given: calls.append(given)) == first
    assert calls == []
    assert read_transformations(path) == first
    again = tmp_path / "again.sqlite"
    transform(_rotor(), database=again)
    assert _dump(again) == _dump(path)
    assert len(path.read_bytes()) == len(before)


def _dump(path):
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def test_a_database_is_asked_with_other_objectives_and_narrower_preferences(tmp_path):
    path = tmp_path / "rotor.sqlite"
    transform(_rotor(), database=path)
    for wishes in (
        {"must": ["j4"]},
        {"may_not": ["j4", "j8"]},
        {"only": ["j1", "j4", "j5", "j8"]},
        {"must": {"j16": 2}},
    ):
        stored = read_transformations(path, by=("levels", "largest"), regular=False, limit=None, **wishes)
        fresh = transform(_rotor(), by=("levels", "largest"), regular=False, limit=None, **wishes)
        assert (stored.ranked, stored.best) == (fresh.ranked, fresh.best)
        assert stored.vectors == fresh.vectors
        assert stored.narrowed
        # Preferences may break a symmetry: then classes of the fresh run are smaller, but say the same of each choice.
        assert {(c.groups, c.largest, c.levels) for c in stored.choices} == {
            (c.groups, c.largest, c.levels) for c in fresh.choices
        }


def test_share_of_solved_groups_is_that_of_the_library_at_the_time_of_reading(tmp_path):
    path = tmp_path / "rotor.sqlite"
    transform(_rotor(), database=path)
    nothing = read_transformations(path, solved=lambda signature: False)
    assert {choice.solved for choice in nothing.choices} == {0}
    known = ("P* 3D", "P.U.S 3D")
    some = read_transformations(path, by=("solved",), solved=known.__contains__, limit=None)
    shares = [sum(name in known for name in choice.signatures) / choice.groups for choice in some.choices]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0
    for choice in some.choices:
        assert choice.solved == sum(name in known for name in choice.signatures)
        assert set(choice.unsolved or ()) == set(choice.signatures) - set(known)


def test_plain_sql_can_read_it(tmp_path):
    path = tmp_path / "rotor.sqlite"
    transform(_rotor(), database=path)
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute(
            "SELECT inputs FROM choice JOIN structure USING (class) WHERE groups = 9 AND largest = 2"
        ).fetchall()
    finally:
        connection.close()
    assert len(rows) == 5
    assert all(set(json.loads(text)) >= {"j4", "j8"} for (text,) in rows)


def test_a_database_of_something_else_is_refused_and_not_touched(tmp_path):
    path = tmp_path / "rotor.sqlite"
    transform(_rotor(), database=path)
    four_bar = plain("planar", 4, [(1, 2, "R", 1), (2, 3, "R", 0), (3, 4, "R", 0), (1, 4, "R", 0)])
    for mechanism, wishes in ((four_bar, {}), (_rotor(), {"must": ["j4"]})):
        with pytest.raises(InputError, match="of another mechanism or of other preferences"):
            transform(mechanism, database=path, **wishes)
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, no database, and long enough to be looked at as one" * 20, encoding="utf-8")
    before = text.read_bytes()
    with pytest.raises(InputError, match="not a database; choose another file"):
        transform(four_bar, database=text)
    assert text.read_bytes() == before
    other = tmp_path / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (a)")
    connection.close()
    with pytest.raises(InputError, match="not one of symgen transform"):
        transform(four_bar, database=other)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE fact SET value = 'x' WHERE name = 'inputs'",
        "UPDATE fact SET value = '-1' WHERE name = 'vectors'",
        "UPDATE fact SET value = '[1]' WHERE name = 'current'",
        "UPDATE fact SET value = '{}' WHERE name = 'current'",
        "UPDATE fact SET value = '{' WHERE name = 'current'",
        "UPDATE choice SET inputs = '[1]' WHERE number = 1",
        """UPDATE choice SET inputs = '{"j1": "one"}' WHERE number = 1""",
        "UPDATE choice SET class = NULL WHERE number = 1",
        "UPDATE choice SET class = 'first' WHERE number = 1",
        "UPDATE structure SET groups = 'many'",
        "UPDATE structure SET signatures = '[1]'",
        "UPDATE structure SET signatures = 7",
        "UPDATE joint SET highest = 'all'",
        "UPDATE joint SET highest = 7",
        "DROP TABLE structure",
    ],
)
def test_a_database_changed_by_hand_is_refused_by_name(tmp_path, change):
    path = tmp_path / "crank.sqlite"
    four_bar = plain("planar", 4, [(1, 2, "R", 1), (2, 3, "R", 0), (3, 4, "R", 0), (1, 4, "R", 0)])
    transform(four_bar, database=path)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(InputError, match=r"crank\.sqlite: the (database|run)"):
        read_transformations(path)


@pytest.mark.slow
def test_runs_that_start_at_once_on_a_new_database_end_in_the_same_table(tmp_path):
    path = tmp_path / "rotor.sqlite"
    script = _SCRIPT.replace("module._STEP = module._FEW = 100\n", "")
    folder = Path(__file__).resolve().parents[1]
    words = [sys.executable, "-c", script, str(folder), str(path), "choices", "0", "10000"]
    runs = [subprocess.Popen(words) for _ in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert read_transformations(path) == transform(_rotor())


def test_a_run_that_comes_second_joins_the_first(tmp_path, monkeypatch):
    """The second run looks, the first one writes, then the second one writes: the bad moment made sure of."""
    path = tmp_path / "rotor.sqlite"
    count = module.count_choices

    def count_while_another_runs(*words):
        monkeypatch.setattr(module, "count_choices", count)
        transform(_rotor(), database=path)
        return count(*words)

    monkeypatch.setattr(module, "count_choices", count_while_another_runs)
    assert transform(_rotor(), database=path) == transform(_rotor())


def test_a_search_by_other_objectives_is_refused(tmp_path):
    path = tmp_path / "rotor.sqlite"
    transform(_rotor(), database=path, most=0, by=("groups",))
    with pytest.raises(InputError, match="this run asks for regular,levels"):
        transform(_rotor(), database=path, most=0, by=("levels",))


def test_places_that_hold_no_database_are_named(tmp_path):
    with pytest.raises(InputError, match="there is no such database"):
        read_transformations(tmp_path / "none.sqlite")
    with pytest.raises(InputError, match="this is a folder"):
        transform(_rotor(), database=tmp_path)
    with pytest.raises(InputError, match="make it first"):
        transform(_rotor(), database=tmp_path / "none" / "x.sqlite")


def test_a_mechanism_without_a_valid_choice_leaves_no_file(tmp_path):
    path = tmp_path / "none.sqlite"
    with pytest.raises(Exception, match="no choice of inputs is valid"):
        transform(plain("planar", 3, [(1, 2, "R", 0)]), database=path)
    assert not path.exists()
