"""Skips the tests of a chapter's program where its libraries are not installed, and says so, if that
program itself does.

usage: missing.py PROGRAM
"""

import subprocess
import sys

done = subprocess.run([sys.argv[1]], capture_output=True, text=True)
if done.returncode != 2 or len(done.stderr.splitlines()) != 1 or "apt-get install" not in done.stderr:
    sys.exit(f"FAILED: it does not say what to install, but {done.stderr!r}, with status {done.returncode}")
print(f"skipped: {done.stderr.strip()}")
sys.exit(77)
