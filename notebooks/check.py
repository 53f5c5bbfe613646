"""Executes the notebooks and compares what they print with what is committed.

usage: check.py [--write] [--static] [NOTEBOOK...]
  --write     store the new outputs in the notebooks instead of comparing
  --static    only look at what is committed; needs nothing but Python's own library
  NOTEBOOK    numbers or names, such as 2 or 2_gauss_seidel; without any, all

Each number that `workbook.figure` or `workbook.table` has printed must stand in the committed notebook
as the new value rounds to so many digits. A value may differ by a relative 1e-6 before it is rounded,
or by the tolerance that is given where it is printed. All other words must be the same. Of pictures
only their count is compared. Cells tagged `timing` are run and not compared.
"""

import argparse
import base64
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOST_BYTES = 2 * 2**20  # of all notebooks together
MOST_SECONDS = 120  # of one notebook


class Difference(Exception):
    """Something about a notebook is not as it should be; one line that says what."""


def notebooks(wanted):
    """The paths of the notebooks, in their order."""
    paths = sorted(HERE.glob("[0-9]_*.ipynb"))
    if not wanted:
        return paths
    chosen = []
    for word in wanted:
        name = re.sub(r"\.ipynb$", "", Path(word).name)
        found = [path for path in paths if path.stem == name or path.stem.split("_")[0] == name]
        if not found:
            raise Difference(f"there is no notebook '{word}'; there are "
                             + ", ".join(path.stem for path in paths))
        chosen += found
    return chosen


def as_text(source):
    """A notebook's text, which may be a list of lines."""
    return "".join(source) if isinstance(source, list) else source


def is_timing(cell):
    return "timing" in cell["metadata"].get("tags", [])


def printed(cell):
    """The lines that a code cell printed."""
    text = ""
    for output in cell["outputs"]:
        if output["output_type"] == "stream" and output["name"] == "stdout":
            text += as_text(output["text"])
        elif output["output_type"] in ("execute_result", "display_data"):
            text += as_text(output["data"].get("text/plain", "")) + "\n"
    return [line for line in text.splitlines() if line.strip()]


def pictures(cell):
    return [as_text(output["data"]["image/png"]) for output in cell["outputs"]
            if "image/png" in output.get("data", {})]


# ---- Comparing -----------------------------------------------------------------------------------

def half_of_last_digit(word):
    """Half a unit in the last digit of a number as it is written: 0.05 for "12.3"."""
    digits, _, power = word.lower().partition("e")
    places = len(digits.partition(".")[2])
    return 0.5 * 10.0 ** (int(power or 0) - places)


def rounds_to(word, value, tolerance):
    """Whether the committed word is what `value` rounds to, but for a relative tolerance."""
    try:
        committed = float(word)
    except ValueError:
        return False
    if committed == value:
        return True
    allowed = half_of_last_digit(word) * (1 + 1e-9) + tolerance * abs(value)
    return abs(committed - value) <= allowed


def same_line(old, new, records):
    """Whether two lines agree. `records` tell the whole values behind the new one's words."""
    old, new = old.split(), new.split()
    if old == new:
        return True
    numbers = records.get(tuple(new))
    if numbers is None or len(old) != len(new):
        return False
    numbers = list(numbers)
    for old_word, new_word in zip(old, new):
        is_next = bool(numbers) and numbers[0][0] == new_word
        value, tolerance = numbers.pop(0)[1:] if is_next else (None, None)
        if old_word == new_word:
            continue
        if not is_next or not rounds_to(old_word, value, tolerance):
            return False
    return True


def compare(name, committed, executed, records):
    """Raises Difference at the first difference between a committed and an executed notebook."""
    if len(committed["cells"]) != len(executed["cells"]):
        raise Difference(f"{name}: the number of cells has changed")
    for number, (old, new) in enumerate(zip(committed["cells"], executed["cells"]), start=1):
        if new["cell_type"] != "code" or is_timing(new):
            continue
        where = f"{name}, cell {number}"
        old_lines, new_lines = printed(old), printed(new)
        for old_line, new_line in zip(old_lines, new_lines):
            if not same_line(old_line, new_line, records):
                raise Difference(f"{where}: '{' '.join(old_line.split())}' is committed, "
                                 f"'{' '.join(new_line.split())}' is what it prints now")
        if len(old_lines) != len(new_lines):
            raise Difference(f"{where}: {len(old_lines)} lines of output are committed, "
                             f"it prints {len(new_lines)} now")
        if len(pictures(old)) != len(pictures(new)):
            raise Difference(f"{where}: {len(pictures(old))} pictures are committed, "
                             f"it draws {len(pictures(new))} now")


def look(path):
    """Raises Difference where a committed notebook is not fit to be read."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    count = 0
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] != "code":
            continue
        count += 1
        where = f"{path.name}, cell {number}"
        if cell["execution_count"] != count:
            raise Difference(f"{where}: it was not executed in order, from the top")
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                raise Difference(f"{where}: an error is committed: {output.get('evalue', '')[:80]}")
            if output.get("name") == "stderr":
                raise Difference(f"{where}: a warning is committed")
        if re.search(r"(^|[\s'\"(])(/(home|root|tmp|Users|work)/|[A-Z]:\\)", "\n".join(printed(cell))):
            raise Difference(f"{where}: the output has a path of the machine that it was made on")
        for picture in pictures(cell):
            if len(base64.b64decode(picture)) > 150_000:
                raise Difference(f"{where}: a picture has more than 150 kB")


def look_at_all():
    paths = notebooks([])
    for path in paths:
        look(path)
    size = sum(path.stat().st_size for path in paths)
    if size > MOST_BYTES:
        raise Difference(f"the notebooks have {size / 2**20:.1f} MB; 2 MB are enough")
    return f"{len(paths)} notebooks, {size / 2**20:.1f} MB, executed in order, without errors"


# ---- Executing -----------------------------------------------------------------------------------

def execute(path):
    """Runs a notebook from top to bottom. Returns it as a dictionary, and the records by line."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from traitlets.config import Config

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.jsonl"
        figures.touch()
        cache = Path(os.environ.get("XDG_CACHE_HOME", folder)) / "matplotlib"
        os.environ.setdefault("MPLCONFIGDIR", str(cache))
        os.environ.update({"WORKBOOK_FIGURES": str(figures), "PYTHONDONTWRITEBYTECODE": "1",
                           "IPYTHONDIR": str(Path(folder) / "ipython"),
                           "JUPYTER_RUNTIME_DIR": str(Path(folder) / "runtime")})
        config = Config()
        if os.name == "posix":
            config.KernelManager.transport = "ipc"  # no port that others could listen to
            config.KernelManager.ip = str(Path(folder) / "ipc")
        client = NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False,
                                resources={"metadata": {"path": str(HERE)}}, config=config)
        try:
            client.execute()
        except CellExecutionError as error:
            words = (f"{error.ename}: {error.evalue}" if error.ename != "WorkbookError"
                     else error.evalue)
            raise Difference(f"{path.name} breaks off: {words.splitlines()[0]}") from None
        except (CellTimeoutError, DeadKernelError, RuntimeError) as error:
            raise Difference(f"{path.name} breaks off: {str(error).splitlines()[0]}") from None
        records = {}
        for line in figures.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            records[tuple(record["line"])] = record["numbers"]
    return json.loads(nbformat.writes(notebook)), records


def write(path, notebook):
    """Stores an executed notebook, without what differs from run to run for no reason."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"}}
    for cell in notebook["cells"]:
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key == "tags"}
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output["metadata"] = {}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
                    encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(prog="check.py", add_help=False)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--static", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("notebooks", nargs="*")
    options = parser.parse_args()
    if options.help:
        print(__doc__, flush=True)
        return 0
    failed = False
    try:
        if options.static:
            print(look_at_all(), flush=True)
            return 0
        for path in notebooks(options.notebooks):
            begin = time.monotonic()
            try:
                executed, records = execute(path)
                seconds = time.monotonic() - begin
                if options.write:
                    write(path, executed)
                    print(f"{path.name}: executed and written, {seconds:.0f} s", flush=True)
                    continue
                compare(path.name, json.loads(path.read_text(encoding="utf-8")), executed, records)
                print(f"{path.name}: as committed, {seconds:.0f} s", flush=True)
            except Difference as difference:
                print(f"workbook: {difference}", file=sys.stderr, flush=True)
                failed = True
        if not options.notebooks:
            look_at_all()
    except Difference as difference:
        print(f"workbook: {difference}", file=sys.stderr)
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ImportError as problem:
        print(f"workbook: {problem.name} is not installed; ./workbook notebooks --execute sees to that",
              file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # who reads this has read enough: nothing more is said
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
