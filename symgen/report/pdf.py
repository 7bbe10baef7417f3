"""A document as PDF: printed by a browser if there is one, with its pictures; else set by LaTeX."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from symgen.errors import InputError
from symgen.report.document import Document
from symgen.report.html import html
from symgen.report.latex import latex

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LATEX = ("latexmk", "pdflatex", "tectonic")
_SECONDS = 180
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--disable-background-networking",
    "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip


def pdf(document: Document) -> bytes:
    """Return a document as PDF.

    Raises
    ------
    InputError
        Neither a browser nor LaTeX is installed, or none of those that are has made a PDF.
    """
    tools = [path for name in (*BROWSERS, *LATEX) if (path := shutil.which(name)) is not None]
    if not tools:
        raise InputError(
            f"a PDF needs a browser ({', '.join(BROWSERS[:3])}) or LaTeX ({', '.join(LATEX)}) in PATH, but none of "
            "them is there; install chromium or texlive-latex-base. FILE.html and FILE.tex are written without them"
        )
    reasons = []
    for tool in tools:
        with tempfile.TemporaryDirectory(prefix="symgen-pdf-", ignore_cleanup_errors=True) as folder:
            found, reason = _made(Path(tool), document, Path(folder))
        if found is not None:
            return found
        reasons.append(f"{Path(tool).name}: {reason}")
    raise InputError(f"no PDF was made ({'; '.join(reasons)}). FILE.html and FILE.tex are written without these tools")


def _made(tool: Path, document: Document, folder: Path) -> tuple[bytes | None, str]:
    """Return what a tool makes of a document, or why it makes nothing."""
    made = folder / "report.pdf"
    if tool.name in BROWSERS:
        source = folder / "report.html"
        source.write_text(html(document), encoding="utf-8")
        commands = [[str(tool), *_FLAGS, f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={made}",
                     source.as_uri()]]  # fmt: skip
    else:
        source = folder / "report.tex"
        source.write_text(latex(document), encoding="ascii")
        commands = {
            "latexmk": [[str(tool), "-pdf", "-norc", "-interaction=nonstopmode", "-no-shell-escape", source.name]],
            "pdflatex": [[str(tool), "-interaction=nonstopmode", "-no-shell-escape", source.name]] * 2,
            "tectonic": [[str(tool), "--untrusted", source.name]],
        }[tool.name]
    reason = ""
    for command in commands:
        reason = _run(command, folder)
        if not reason.endswith(" 0"):
            return None, reason
    content = made.read_bytes() if made.is_file() else b""
    return (content, "") if content.startswith(b"%PDF-") else (None, reason)


def _run(command: list[str], folder: Path) -> str:
    """Run a tool in a folder, with a limit of time for it and for what it starts; return how it ended."""
    said = folder / "said.txt"
    with said.open("wb") as stream:
        try:
            process = subprocess.Popen(  # noqa: S603 - a browser or LaTeX of this machine, on a page that we wrote
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
            )
        except OSError as error:
            return str(error)
        try:
            status = process.wait(_SECONDS)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                return f"no answer in {_SECONDS} s"
            raise
    last = said.read_bytes().decode("utf-8", "replace").strip().splitlines()[-1:] if status else []
    return f"{last[0][:200] + ', ' if last else ''}exit status {status}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a tool and what it has started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
