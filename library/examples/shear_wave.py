"""A wave of layers that rub against each other, u = sin(2 pi y), in a periodic box: viscosity alone works
on it, and what is left of it after t seconds is exp(-viscosity k2 t). Prints a small table; exits with 1
where the library is more than one percent off.

usage: shear_wave.py [LIBRARY]      without NumPy, too
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))  # where the module is
import stable_fluids as sf

CELLS, VISCOSITY, DT = 64, 0.01, 1 / 256
K = 2 * math.pi  # one wave in a box of 1 m

wave = [math.sin(K * (j + 0.5) / CELLS) for j in range(CELLS)]
faces = {face: sf.periodic() for face in (sf.LEFT, sf.RIGHT, sf.TOP, sf.BOTTOM)}


def amplitude(fluid):
    """How much of the wave is left: u on one column of faces, compared with the wave."""
    u = fluid.read(sf.U)
    width = fluid.shape(sf.U)[1]
    column = [float(u[j][0]) if sf.numpy else u[j * width] for j in range(CELLS)]
    return 2 / CELLS * sum(a * b for a, b in zip(column, wave))


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else None
    worst = 0.0
    with sf.Fluid(8, CELLS, h=1 / CELLS, viscosity=VISCOSITY, tolerance=1e-6, backend=sf.HOST,
                  faces=faces, library=library) as fluid:
        width = fluid.shape(sf.U)[1]
        fluid.set(sf.U, [value for value in wave for _ in range(width)])
        print("     t     u there    exp(-nu k2 t)")
        for _ in range(8):
            fluid.step(DT, 32)
            t = fluid.statistics().time
            found, exact = amplitude(fluid), math.exp(-VISCOSITY * K * K * t)
            worst = max(worst, abs(found / exact - 1))
            print(f"{t:6.3f}   {found:9.6f}   {exact:9.6f}")
        print(f"at most {100 * worst:.2f} % off")
    return 0 if worst < 0.01 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (sf.Error, OSError) as error:
        sys.exit(f"shear_wave: {error}")
