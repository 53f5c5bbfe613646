"""Runs a chapter's program, and keeps what it has printed."""

import os
import subprocess

from book import ON_RANKS, on_ranks


def is_newer(file, program):
    return file.is_file() and file.stat().st_mtime > program.stat().st_mtime


class Program:
    """The program of a chapter in the folder `programs`. A run that fails is one of the `problems`."""

    def __init__(self, chapter, programs, problems):
        self.chapter, self.path, self.problems = chapter, programs.resolve() / chapter.folder, problems
        self.kept = {}  # what it has printed, by its flags

    def printed(self, flags, timeout=600):
        """What it prints with these flags. It runs once for them."""
        if flags not in self.kept:
            tested = self.path.parent / "numbers" / f"{self.path.name}.txt"  # see tests/chapters/numbers.py
            if flags == "--numbers" and is_newer(tested, self.path):
                self.kept[flags] = tested.read_text(encoding="utf-8")
            else:
                self.kept[flags] = self.run(flags, None, timeout)
        return self.kept[flags]

    def run(self, flags, folder, timeout=600):
        """Runs it in a folder, for the files that it writes there."""
        flags = flags.split()
        done = subprocess.run(on_ranks(str(self.path), flags), capture_output=True, text=True, timeout=timeout,
                              cwd=folder, env={**os.environ, **ON_RANKS})
        if done.returncode != 0:
            self.problems.append(f"{self.chapter.folder} {flags}: status {done.returncode}, {done.stderr}")
        return done.stdout

    def is_missing(self):
        """Whether the chapter's libraries are not installed, so that its program only says so."""
        if not self.chapter.packages:
            return False
        done = subprocess.run([str(self.path), "--help"], capture_output=True, text=True, timeout=600)
        return done.returncode == 2 and "not installed" in done.stderr
