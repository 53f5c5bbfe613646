"""Calls each function of the module once. The reference in the browser edition shows each paragraph below beside the
function or the class that its first comment names.

usage: calls.py [FOLDER [--show]]      (writes calls.vti, .png and .fluid there; the current folder unless told otherwise)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))  # where the module is
import stable_fluids as sf

NX, NY = 48, 32
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


# load(): says early, and in a line, if the library cannot be found.
library = sf.load()

# why_no_cuda(): says why the processor computes.
if sf.why_no_cuda():
    print("on the processor:", sf.why_no_cuda())

# inflow(), outflow(): air blows from left to right.
faces = {sf.LEFT: sf.inflow(u=0.5), sf.RIGHT: sf.outflow()}

# no_slip(), free_slip(): the fluid sticks to the floor and slides along the ceiling.
faces.update(bottom=sf.no_slip(), top=sf.free_slip())

# total_pressure(): open on both sides, and a wind that nothing drives slows down.
calm = {"left": sf.total_pressure(), "right": sf.total_pressure()}

# periodic(): a box whose left and right side are one.
round_box = {"left": sf.periodic(), "right": sf.periodic()}

# zero_flux(), fixed_value(): no heat leaves through the ceiling, and the floor is kept at 60 degrees.
warm = {"top": sf.zero_flux(), "bottom": sf.fixed_value(60)}

# fixed_flux(): a floor that is heated instead, by so many degrees times metres a second.
heated = {"bottom": sf.fixed_flux(0.002)}

# Scalar: heat that spreads, fades and lifts the fluid, and that comes from the pillar below as well.
heat = sf.Scalar(diffusion=1e-4, dissipation=0.01, initial=20, buoyancy=0.01, ambient=20, faces=warm,
                 solid=sf.fixed_value(80))

# Fluid: a box 1.5 m long and 1 m high. `with` frees it at the end.
fluid = sf.Fluid(NX, NY, h=1 / NY, faces=faces, scalars=[heat])

# Error: what is wrong, and what would be right.
try:
    sf.Fluid(NX, NY, h=-1)
except sf.Error as error:
    print("refused:", error)

# scalar(), source(): the first scalar, and what is added to it each second.
field, heating = sf.scalar(0), sf.source(0)

# Fluid.shape(): rows first.
print("u has", fluid.shape("u"), "faces")

# Fluid.set_solid(): a square pillar, by the distance of each corner of a cell from its surface.
fluid.set_solid([(max(abs(i - NX // 3), abs(j - NY // 2)) - 4) / NY for j in range(NY + 1) for i in range(NX + 1)])

# Fluid.set_bodies(): the pillar is number 0. One cell inside is enough to say so.
fluid.set_bodies([0 if (i, j) == (NX // 3, NY // 2) else -1 for j in range(NY) for i in range(NX)])

# Fluid.set(): a number, or one for each cell.
fluid.set(heating, 0.5)
fluid.set(field, [60.0 if j >= NY // 2 else 20.0 for j in range(NY) for _ in range(NX)])

# Fluid.add(): five degrees more, everywhere.
fluid.add(field, 5)

# Fluid.step(): 120 steps of a sixtieth of a second.
fluid.step(1 / 60, 120)

# Fluid.run(): until 2.5 seconds have passed, in steps that suit the flow, with a look each tenth of a second.
fluid.run(2.5, cfl=0.8, every=0.1, callback=lambda seen: print(f"{seen.time:.1f} s"))

# Fluid.time: how many seconds have passed.
print(f"{fluid.time:.2f} s")

# Fluid.wait(): for a GPU, which may still be computing.
fluid.wait()

# Fluid.statistics(), Statistics: how many cells the fastest fluid crosses in a step.
print(f"in a step the flow crosses at most {fluid.statistics().cfl:.2f} cells")

# Fluid.forces_on(), Forces, Forces.force, Forces.torque: how hard does the air push the pillar,
# and how hard does it turn it about its middle?
forces = fluid.forces_on(0, (NX // 3 / NY, 0.5))
print(f"the drag is {forces.force[0]:.3f} m3/s2, the torque {forces.torque[2]:.4f} m4/s2")

# Unsolved: where the cycles do not do, a warning becomes an error.
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("error", sf.Unsolved)
    fluid.step(1 / 60)

# Fluid.read(): a copy.
dye = fluid.read(field)

# Fluid.view(), View: the same numbers without a copy, also after the next step.
numbers = fluid.view(field)

# Fluid.device_view(), DeviceView: for PyTorch or CuPy on a GPU. On the processor it is refused.
try:
    numbers_there = fluid.device_view(field)
except sf.Error as error:
    print("no view on a GPU:", error)

# Fluid.coordinates(): where the points of a field are. With NumPy, x and y have shapes for a formula such as x + y.
x, y = fluid.coordinates(field)

# Fluid.sample(): the temperature at two places, one behind the other. It needs NumPy.
if sf.numpy:
    print("at two places:", fluid.sample(field, [(0.4, 0.1), (0.9, 0.1)]))

# Fluid.save(), Fluid.load(): put it aside, and go on with it tomorrow, to the same bits.
fluid.save(folder / "calls.fluid")
again = sf.Fluid.load(folder / "calls.fluid")

# Fluid.save_png(): a picture of the speed.
fluid.save_png(folder / "calls.png", "speed")

# Fluid.show(): the same in a window. It needs Matplotlib, and somebody to look at it.
if "--show" in sys.argv:
    fluid.show("speed")

# Fluid.save_vti(): velocity and temperature, for ParaView.
fluid.save_vti(folder / "calls.vti", ["u", field])

# Fluid.save_vdb(): for Blender. A library that was built without OpenVDB refuses.
try:
    fluid.save_vdb(folder / "calls.vdb", ["u", field])
except sf.Error as error:
    print("no .vdb file:", error)

# Fluid.close(): at once, and not when Python finds the time.
fluid.close()
