"""Checks that the library, built by Emscripten, computes under Node what the native one computes.

usage: library.py --code DIR --bin DIR

Both run library/examples/channel.c: 600 steps of a flat channel with inflow, outflow and dye. It prints how long
they take. A browser's registers hold four floats. Natively the library takes the widest registers that the
processor has; where those hold sixteen floats, it is almost four times as quick.
"""

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from agree import run  # noqa: E402

EXAMPLE = "stable_fluids_channel"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--bin", type=Path, required=True)
    asked = parser.parse_args()
    commands = {"node": ["node", str(HERE / "run.js"), str(asked.code.resolve() / (EXAMPLE + ".js"))],
                "native": [str(asked.bin.resolve() / EXAMPLE)]}
    said, pictures, seconds = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands.items():
            (Path(folder) / name).mkdir()
            status, said[name], error, seconds[name] = run([*command, "dye.pgm"], Path(folder) / name)
            if status != 0:
                sys.exit(f"FAILED: the library: {name}: status {status}: {error}")
            pictures[name] = (Path(folder) / name / "dye.pgm").read_bytes()
    if len(set(pictures["native"])) < 50:
        sys.exit("FAILED: the library: there is no dye in the picture")
    if said["node"] != said["native"] or pictures["node"] != pictures["native"]:
        different = sum(one != other for one, other in zip(pictures["node"], pictures["native"]))
        sys.exit(f"FAILED: the library: {different} pixels differ; under Node it says {said['node']}"
                 f"and natively {said['native']}")
    print(f"library: 600 steps equal; {seconds['node']:.1f} s under Node, {seconds['native']:.1f} s natively")


if __name__ == "__main__":
    main()
