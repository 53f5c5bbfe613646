"""A plume of hot smoke: heat lifts it, the weight of the smoke holds it back, and vorticity confinement
keeps its whirls alive. Prints how high it is, and writes a picture of the smoke (PGM, as wide as the box
has cells); exits with 1 where the plume does not rise.

usage: plume.py [--picture FILE] [--library FILE]      without NumPy, too
"""

import argparse
import os
import sys
from pathlib import Path

if (Path(__file__).resolve().parents[1] / "python").is_dir():  # the module lies beside the examples
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import stable_fluids as sf

NX, NY, DT = 96, 144, 1 / 60
HEAT, SMOKE = 0, 1  # the scalars: degrees above the air outside, and the share of smoke


def make(library):
    """A box of 1 m x 1.5 m that is open at the top, with a hot plate of 17 cm at the bottom."""
    fluid = sf.Fluid(NX, NY, h=1 / NX, advection=sf.MACCORMACK, confinement=1, backend=sf.HOST, library=library,
                     faces={sf.TOP: sf.outflow()},
                     scalars=[sf.Scalar(buoyancy=0.03, dissipation=0.2),  # 9.8 m/s2 over 300 K
                              sf.Scalar(buoyancy=-0.1)])
    plate = [1.0 if j >= NY - 4 and 40 <= i < 56 else 0.0 for j in range(NY) for i in range(NX)]
    fluid.set(sf.source(HEAT), [60 * there for there in plate])  # degrees a second
    fluid.set(sf.source(SMOKE), plate)
    return fluid


def rows_of(fluid, scalar):
    """What the cells hold of a scalar, row after row from the top."""
    values = fluid.read(sf.scalar(scalar))
    values = values.ravel().tolist() if sf.numpy else list(values)
    return [values[j * NX:(j + 1) * NX] for j in range(NY)]


def height(rows):
    """How high the smoke has come, in metres: to the first row from the top that holds any to speak of."""
    top = next((j for j, row in enumerate(rows) if max(row) > 0.05), NY)
    return (NY - top) / NX


def write_picture(path, rows):
    """Writes the smoke as greys, white where there is most. Nothing is left behind if it fails."""
    greys = bytes(min(255, max(0, round(400 * value))) for row in rows for value in row)
    part = f"{path}.part"
    try:
        with open(part, "wb") as file:
            file.write(b"P5\n%d %d\n255\n" % (NX, NY) + greys)
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--library", metavar="FILE")
    given = parser.parse_args()
    if given.picture and not Path(given.picture).absolute().parent.is_dir():
        sys.exit(f"plume: {given.picture} cannot be written: its folder is not there, so make it first")
    heights = []
    with make(given.library) as fluid:
        print("     t   height   fastest    hottest")
        for _ in range(8):
            fluid.step(DT, 30)
            rows, now = rows_of(fluid, SMOKE), fluid.statistics()
            hottest = max(map(max, rows_of(fluid, HEAT)))
            heights.append(height(rows))
            print(f"{now.time:6.2f}   {heights[-1]:4.2f} m   {now.largest_speed:4.2f} m/s   {hottest:5.1f} K")
    if given.picture:
        write_picture(given.picture, rows)
    rises = heights == sorted(heights) and heights[-1] > 4 * heights[0]
    print("it rises" if rises else "it does not rise")
    return 0 if rises else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (sf.Error, OSError) as error:
        sys.exit(f"plume: {error}")
