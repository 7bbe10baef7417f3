"""Code is run from places that only the user or root can write to: ssh's rule for its keys."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from symgen.build import trust
from symgen.build.trust import is_private_group, reason_for_distrust

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")

ME, STRANGER, MINE, STAFF, DAEMON = 1000, 1001, 1000, 50, 12
USERS = (("root", 0, 0), ("me", ME, MINE), ("stranger", STRANGER, STAFF))
GROUPS: dict[int, tuple[str, Sequence[str]]] = {MINE: ("me", ()), STAFF: ("staff", ("me",)), DAEMON: ("daemon", ())}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with three users, one of them with a group of his own."""
    users = [SimpleNamespace(pw_name=n, pw_uid=u, pw_gid=g) for n, u, g in USERS]
    by_id = {user.pw_uid: user for user in users}
    monkeypatch.setattr(os, "geteuid", lambda: ME)
    monkeypatch.setattr(pwd, "getpwall", lambda: users)
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: by_id[uid])
    monkeypatch.setattr(grp, "getgrgid", lambda gid: SimpleNamespace(gr_name=GROUPS[gid][0], gr_mem=GROUPS[gid][1]))


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("mode", "owner", "group", "reason"),
    [
        (0o755, ME, MINE, None),
        (0o700, ME, STAFF, None),
        (0o755, 0, 0, None),  # root can put code anywhere
        (0o775, ME, MINE, None),  # umask 002 with a group of one's own
        (0o755, STRANGER, MINE, "belongs to user 1001, not to you"),
        (0o777, ME, MINE, "every user"),
        (0o757, ME, MINE, "every user"),
        (0o1777, ME, MINE, "every user"),
        (0o777, 0, 0, "every user"),
        (0o775, ME, STAFF, "group staff"),
        (0o775, ME, DAEMON, "group daemon"),  # without members: of a service, as ssh sees it
        (0o775, ME, 77, "group 77"),  # unknown
        (0o775, 0, STAFF, "group staff"),
    ],
)
def test_only_the_user_and_root_may_write(
    mode: int, owner: int, group: int, reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.stat_result((mode, 1, 1, 1, owner, group, 0, 0, 0, 0))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", lambda _self: found)
        patched.setattr(grp, "getgrgid", _group_or_key_error)
        answer = reason_for_distrust(Path("x"))
    assert answer is None if reason is None else reason in str(answer)


def _group_or_key_error(gid: int) -> SimpleNamespace:
    name, members = GROUPS[gid]
    return SimpleNamespace(gr_name=name, gr_mem=members)


@pytest.mark.usefixtures("machine")
def test_a_group_with_a_second_member_is_not_private(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_private_group(MINE, ME)
    monkeypatch.setitem(GROUPS, MINE, ("me", ("me",)))
    assert is_private_group(MINE, ME)
    monkeypatch.setitem(GROUPS, MINE, ("me", ("stranger",)))
    assert not is_private_group(MINE, ME)


@pytest.mark.usefixtures("machine")
def test_a_user_the_machine_does_not_know_has_no_private_group() -> None:
    assert not is_private_group(MINE, 4242)


def test_without_posix_owners_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o777)
    assert reason_for_distrust(tmp_path) is not None
    monkeypatch.delattr(trust.os, "geteuid")
    assert reason_for_distrust(tmp_path) is None
