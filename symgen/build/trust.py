"""Whether somebody else could put code into a folder: asked of every place from which code is run.

The rule is that of ssh for its keys (OpenSSH `secure_permissions`, as Debian ships it): a file or folder has to belong
to the user or to root, must not be writable by everybody, and may be writable by its group only if the group is the
user's own, with nobody else in it. Folders above are not looked at: whoever may replace a folder can only do so by one
of their own, and that is refused. On systems without POSIX owners nothing is refused.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

ROOT = 0


def reason_for_distrust(path: Path) -> str | None:
    """Return what lets somebody else write to a file or folder and how to mend it, or None.

    Raises
    ------
    OSError
        The path cannot be looked at.
    """
    if not hasattr(os, "geteuid"):
        return None
    found, user = path.stat(), os.geteuid()
    if found.st_uid not in (user, ROOT):
        return f"belongs to user {found.st_uid}, not to you ({user})"
    if found.st_mode & stat.S_IWOTH:
        return "can be written by every user (chmod o-w mends it)"
    if found.st_mode & stat.S_IWGRP and not is_private_group(found.st_gid, found.st_uid):
        return f"can be written by group {_group_name(found.st_gid)}, which is not yours alone (chmod g-w mends it)"
    return None


def is_private_group(group: int, user: int) -> bool:
    """Tell whether a user is known to be the only member of a group."""
    import grp
    import pwd

    try:
        named = grp.getgrgid(group).gr_mem
        own = pwd.getpwuid(user)
    except KeyError:
        return False
    first = {entry.pw_uid for entry in pwd.getpwall() if entry.pw_gid == group}
    return first | {user} == {user} and set(named) <= {own.pw_name} and bool(first or named)


def _group_name(group: int) -> str:
    import grp

    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)
