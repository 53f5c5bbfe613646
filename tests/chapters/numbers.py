"""Runs a chapter's --numbers, and keeps what it prints in the folder numbers beside the programs. The lessons'
check reads it there, instead of running the program once more.

usage: numbers.py PROGRAM
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ON_RANKS

program = Path(sys.argv[1]).resolve()
done = subprocess.run([str(program), "--numbers"], stdout=subprocess.PIPE, text=True, env={**os.environ, **ON_RANKS})
print(done.stdout, end="")
if done.returncode == 0:
    kept = program.parent / "numbers" / f"{program.stem}.txt"
    kept.parent.mkdir(exist_ok=True)
    made = kept.with_suffix(f".{os.getpid()}")
    made.write_text(done.stdout, encoding="utf-8")
    os.replace(made, kept)
sys.exit(done.returncode)
