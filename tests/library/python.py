"""The Python module beside the header, with NumPy where it is there and without it everywhere.

usage: python.py LIBRARY
"""

import contextlib
import ctypes
import gc
import io
import math
import os
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import warnings
import weakref
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "library" / "python"))

if "--without-numpy" in sys.argv:
    sys.modules["numpy"] = None
else:  # once more without; then what follows is done with it, if it is there
    subprocess.run([sys.executable, *sys.argv, "--without-numpy"], check=True)
import stable_fluids as sf

problems = 0


def check(good, what):
    global problems
    if not good:
        problems += 1
        print(f"FAILED: {what}")


def refused(status, words, do):
    """Whether it is refused with that status, and a line with those words."""
    try:
        do()
    except sf.Error as error:
        check(error.status == status and words in str(error) and "\n" not in str(error),
              f"status {error.status}: {error}")
    else:
        check(False, f"not refused: {words}")


def listed(values):
    return values.ravel().tolist() if sf.numpy else list(values)


def constants():
    """Whether the module's numbers, and its structs, are the header's."""
    header = (ROOT / "library" / "include" / "stable_fluids.h").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    numbers = re.findall(r"\bSTABLE_FLUIDS_(\w+) = (\d+)", code)
    check(len(numbers) > 30, "the header's numbers are not found")
    for name, value in numbers:
        if name not in ("FIRST_SCALAR", "FIRST_SOURCE"):
            check(getattr(sf, name, None) == int(value), f"{name} is not {value}")
    check((sf.scalar(3), sf.source(3)) == (103, 203), "scalars' or sources' numbers")
    for name, struct in {"buoyancy": sf._Buoyancy, "face": sf.Face, "scalar_face": sf.ScalarFace, "scalar": sf._Scalar,
                         "description": sf._Description, "view_of_field": sf._View,
                         "statistics": sf.Statistics}.items():
        body = re.search(rf"struct stable_fluids_{name} \{{(.*?)\}}", code, re.DOTALL).group(1)
        fields = [re.match(r"\w+", one.strip(" *\n")).group()
                  for line in re.findall(r"[^;]+;", body)
                  for one in re.sub(r"^\s*(const )?\w+[\s*]+", "", line).split(",")]
        check(fields == [field[0] for field in struct._fields_], f"the fields of {name} are {fields}")


def flat():
    with sf.Fluid(6, 4, h=0.25, viscosity=0.01, backend=sf.HOST, threads=1,
                  scalars=[sf.Scalar(initial=2.0), sf.Scalar(faces={sf.TOP: sf.fixed_value(1)})]) as fluid:
        check(fluid.shape(sf.U) == (4, 7) and fluid.shape(sf.V) == (5, 6), "the shape of u or v")
        check(listed(fluid.read(sf.scalar(0))) == [2.0] * 24, "what a scalar holds at first")
        numbers = [float(n) for n in range(24)]
        fluid.set(sf.scalar(1), numbers)
        fluid.add(sf.scalar(1), 0.5)
        check(listed(fluid.read(sf.scalar(1))) == [n + 0.5 for n in numbers], "set, add and read")
        fluid.set(sf.source(0), (1.0 for _ in range(24)) if not sf.numpy else [1.0] * 24)
        fluid.set(sf.FORCE_X, 1)
        fluid.step(0.125, 2)
        fluid.wait()
        now = fluid.statistics()
        check((now.steps, now.time, now.backend) == (2, 0.25, sf.HOST), repr(now))
        check(abs(sum(listed(fluid.read(sf.scalar(0)))) / 24 - 2.25) < 1e-5, "what a source adds")
        refused(sf.INVALID, "", lambda: fluid.set(sf.PRESSURE, 0))
        refused(sf.INVALID, "", lambda: fluid.set(sf.U, [1.0, 2.0]))
        refused(sf.INVALID, "", lambda: fluid.set(sf.U, float("nan")))
        refused(sf.INVALID, "", lambda: fluid.read(sf.W))
        refused(sf.INVALID, "", lambda: fluid.step(-1))
        if sf.numpy:
            numpy = sf.numpy
            check(fluid.read(sf.SPEED).shape == (4, 6), "the shape of an array")
            u = numpy.arange(28, dtype=float).reshape(4, 7)
            fluid.set(sf.source(1), u[:, ::-1][:, :6])  # neither floats nor in a row
            check((fluid.read(sf.source(1)) == u[:, ::-1][:, :6]).all(), "an array that is not in a row")
            seen = fluid.view(sf.U)
            check((seen == fluid.read(sf.U)).all() and not seen.flags.writeable, "view() and read()")
            refused(sf.INVALID, "shape", lambda: fluid.set(sf.U, u.T))
        else:
            check(len(fluid.read(sf.SPEED)) == 24, "the length of an array")
    refused(sf.INVALID, "closed", lambda: fluid.step(0.1))


def deep():
    faces = {sf.LEFT: sf.inflow(u=0.5), sf.RIGHT: sf.outflow(), sf.TOP: sf.periodic(),
             sf.BOTTOM: sf.periodic(), sf.FRONT: sf.free_slip(), sf.BACK: sf.no_slip(u=0.1)}
    with sf.Fluid(5, 4, 3, faces=faces, backend=sf.HOST, advection=sf.MACCORMACK, scalars=[sf.Scalar()]) \
            as fluid:
        check(fluid.shape(sf.W) == (4, 4, 5), "the shape of w")
        fluid.step(0.01, 3)
        check(all(value == 0.5 for value in listed(fluid.read(sf.U))[::6]), "what flows in")
        if sf.numpy:
            check((fluid.view(sf.VORTICITY) == fluid.read(sf.VORTICITY)).all(), "view() in three dimensions")


def files():
    with tempfile.TemporaryDirectory() as folder, \
            sf.Fluid(5, 4, 3, h=0.5, backend=sf.HOST, scalars=[sf.Scalar(initial=2)]) as fluid:
        path = Path(folder) / "a.vti"
        fluid.save_vti(path)
        both = path.read_bytes()
        check(re.findall(rb'Name="(\w+)"', both) == [b"velocity", b"pressure", b"divergence", b"vorticity",
                                                     b"scalar_0"], "what is in a file")
        fluid.save_vti(str(path), [sf.scalar(0)])
        numbers = path.read_bytes().partition(b'"raw">\n_')[2][8:8 + 4 * 60]  # after how many bytes they are
        check(set(memoryview(numbers).cast("f")) == {2.0}, "the numbers in a file")
        refused(sf.FILE_ERROR, "cannot be written", lambda: fluid.save_vti(Path(folder) / "no" / "a.vti"))
        refused(sf.INVALID, "count is 0", lambda: fluid.save_vti(path, []))
        check(os.listdir(folder) == ["a.vti"], "what is left behind")
        try:  # which only some libraries can
            fluid.save_vdb(Path(folder) / "a.vdb")
            check((Path(folder) / "a.vdb").stat().st_size > 1000, "an OpenVDB file")
        except sf.Error as error:
            check("built without OpenVDB" in str(error), str(error))


def in_capsule(capsule, name):
    """What a capsule of DLPack says, taken from it byte by byte as a C program would, and a function that
    gives it back."""
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, name)
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_SetName", ctypes.pythonapi))(capsule, b"used_" + name)
    tensor = "P iii BBH PP Q"
    layout = "@II PP Q " + tensor if name.endswith(b"_versioned") else f"@{tensor} PP"
    said = struct.unpack(layout, ctypes.string_at(pointer, struct.calcsize(layout)))
    if name.endswith(b"_versioned"):
        version, (_, deleter, flags), said = said[:2], said[2:5], said[5:]
    else:
        version, flags, (said, (_, deleter)) = None, None, (said[:10], said[10:])
    data, device_type, device_id, ndim, code, bits, lanes, shape, strides, offset = said
    lengths = [tuple((ctypes.c_int64 * ndim).from_address(at)) for at in (shape, strides)]
    return ({"data": data + offset, "device": (device_type, device_id), "type": (code, bits, lanes),
             "shape": lengths[0], "strides": lengths[1], "version": version, "flags": flags},
            lambda: ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(pointer))


def not_exported(words, do):
    try:
        do()
        check(False, f"exported: {words}")
    except BufferError as error:
        check(words in str(error) and "\n" not in str(error), str(error))


def dlpack():
    """Views by DLPack, of a fluid on the host."""
    fluid = sf.Fluid(5, 4, 3, backend=sf.HOST)
    fluid.set(sf.U, [0.5 * n for n in range(72)])
    values = listed(fluid.read(sf.U))
    view, shape, strides = fluid._view(sf.U)
    seen = sf.View(fluid, view.data, shape, strides)
    check(seen.__dlpack_device__() == (1, 0), "the device of a field on the host")
    row = 5 + 3  # faces and ghosts
    expected = {"data": view.data, "device": (1, 0), "type": (2, 32, 1), "shape": (3, 4, 6),
                "strides": (row * (4 + 3), row, 1), "version": None, "flags": None}
    for version, name in {None: b"dltensor", (0, 8): b"dltensor", (1, 3): b"dltensor_versioned"}.items():
        said, give_back = in_capsule(seen.__dlpack__(max_version=version), name)
        if name == b"dltensor_versioned":
            expected.update(version=(1, 0), flags=1)  # it must not be written to
        check(said == expected, f"{name} says {said}")
        found = [ctypes.c_float.from_address(said["data"] + 4 * (k * said["strides"][0] + j * row + i)).value
                 for k in range(3) for j in range(4) for i in range(6)]
        check(found == values, "the numbers in a capsule")
        give_back()
        check(not sf._handed_out, "what was given back is kept")
    not_exported("stream", lambda: seen.__dlpack__(stream=1))
    not_exported("copy", lambda: seen.__dlpack__(copy=True))
    not_exported("(2, 0)", lambda: seen.__dlpack__(dl_device=(2, 0)))
    if sf.numpy:
        numpy = sf.numpy
        again = numpy.from_dlpack(seen)
        check(again.ctypes.data == view.data and again.ravel().tolist() == values, "numpy.from_dlpack()")
        if tuple(map(int, numpy.__version__.split(".")[:2])) >= (2, 1):  # others cannot say "read only"
            check(not again.flags.writeable, "from_dlpack() may be written to")
            check((numpy.from_dlpack(fluid.view(sf.U)) == again).all(), "from_dlpack() of view()")
        del again
    else:
        said, give_back = in_capsule(fluid.view(sf.U).__dlpack__(), b"dltensor")
        check((said["data"], said["shape"]) == (view.data, (3, 4, 6)), "view() without NumPy")
        give_back()
    # The fluid lives as long as what was made of it, and no longer; taken or not.
    alive = weakref.ref(fluid)
    said, give_back = in_capsule(seen.__dlpack__(), b"dltensor")
    capsule = seen.__dlpack__()
    del fluid, seen
    gc.collect()
    check(alive(), "a fluid dies before its views")
    give_back()
    gc.collect()
    check(alive(), "a fluid dies before the capsule of its view")
    del capsule
    gc.collect()
    check(not alive() and not sf._handed_out, "a fluid outlives its views")


def on_device():
    """What is said of a field on the GPU, by a library that claims to have one: none is needed here."""
    with sf.Fluid(5, 4, 3, backend=sf.HOST) as fluid:
        refused(sf.INVALID, "backend=CUDA", lambda: fluid.device_view(sf.U))
        call = fluid._call
        calls = []

        def claim(name, *arguments):
            call(name, *arguments)
            calls.append(name)
            if name == "view":
                view = arguments[1]._obj
                view.on_device, view.data, view.stream = 1, 0x7000, 0x9000
        fluid._call = claim
        row, layer = 4 * (5 + 3), 4 * (5 + 3) * (4 + 3)  # faces and ghosts
        check(fluid.device_view(sf.U).__cuda_array_interface__ == {
            "version": 3, "typestr": "<f4", "shape": (3, 4, 6), "strides": (layer, row, 4),
            "data": (0x7000, True), "stream": 0x9000}, "the CUDA Array Interface")
        view = fluid.device_view(sf.U)
        try:  # the address is made up, so no driver knows it
            check(view.__dlpack_device__() is None, "the GPU of a made-up address")
        except BufferError as error:
            check("driver" in str(error) and "\n" not in str(error), str(error))
        gpu_of, sf._gpu_of = sf._gpu_of, lambda address: address >> 12
        check(view.__dlpack_device__() == (2, 7), "the device of a field on the GPU")
        for stream, waits in {None: True, 1: True, 0x5000: True, -1: False}.items():
            calls.clear()
            said, give_back = in_capsule(view.__dlpack__(stream=stream, max_version=(1, 0), copy=False,
                                                         dl_device=(2, 7)), b"dltensor_versioned")
            check(said == {"data": 0x7000, "device": (2, 7), "type": (2, 32, 1), "shape": (3, 4, 6),
                           "strides": (layer // 4, row // 4, 1), "version": (1, 0), "flags": 1},
                  f"DLPack says of a field on the GPU {said}")
            check(calls == ["wait"] * waits, f"with stream {stream} it calls {calls}")
            give_back()
        not_exported("stream 0", lambda: view.__dlpack__(stream=0))
        not_exported("(1, 0)", lambda: view.__dlpack__(dl_device=(1, 0)))
        sf._gpu_of = gpu_of
        if sf.numpy:
            refused(sf.INVALID, "device_view", lambda: fluid.view(sf.U))


def smoke():
    with sf.Fluid(8, 12, h=0.125, backend=sf.HOST, confinement=2, tolerance=1e-6,
                  scalars=[sf.Scalar(buoyancy=0.5, ambient=20, initial=20)]) as fluid:
        fluid.step(0.1)
        check(max(map(abs, listed(fluid.read(sf.V)))) == 0, "what is ambient moves")
        heat = [20.0] * 96
        heat[6 * 8 + 3] = heat[6 * 8 + 4] = 24.0
        fluid.set(sf.scalar(0), heat)
        fluid.step(0.1)
        v = listed(fluid.read(sf.V))
        check(v[6 * 8 + 3] < -0.02, f"what is warm does not rise: {v[6 * 8 + 3]}")
    with sf.Fluid(4, 4, backend=sf.HOST, buoyancy_direction=(3, 0), faces={n: sf.periodic() for n in range(4)},
                  scalars=[sf.Scalar(buoyancy=2, initial=1)]) as fluid:
        fluid.step(0.25)
        check(all(abs(u - 0.5) < 1e-6 for u in listed(fluid.read(sf.U))), "the direction of buoyancy")
    with sf.Fluid(4, 4, h=1, backend=sf.HOST, faces={sf.LEFT: sf.outflow()}) as fluid:
        fluid.set(sf.EXPANSION, 0.5)
        fluid.step(0.25)
        check(all(abs(d - 0.5) < 1e-3 for d in listed(fluid.read(sf.DIVERGENCE))), "what expands")
    refused(sf.INVALID, "direction", lambda: sf.Fluid(4, 4, buoyancy_direction=(0, 0, 1),
                                                      scalars=[sf.Scalar(buoyancy=1)]))


def solids():
    with sf.Fluid(12, 8, h=0.125, backend=sf.HOST, viscosity=0.1, tolerance=1e-6,
                  faces={sf.LEFT: sf.inflow(u=1), sf.RIGHT: sf.outflow()}) as fluid:
        fluid.set_solid([((i / 8 - 0.5) ** 2 + (j / 8 - 0.5) ** 2) ** 0.5 - 0.2 for j in range(9)
                         for i in range(13)])
        fluid.set(sf.SOLID_V, 0.5)
        fluid.step(0.05, 10)
        shares = listed(fluid.read(sf.FRACTION))
        check(abs(sum(1 - share for share in shares) / 64 - 0.1257) < 0.01, "the disk's area")
        statistics = fluid.statistics()
        check(statistics.solid_force[0] > 0.1 and statistics.solid_force[1] < -0.05, repr(statistics))
        check(statistics.closed_regions == 0 and statistics.largest_divergence < 1e-3, repr(statistics))
        check("solid_force=(" in repr(statistics), repr(statistics))
        refused(sf.INVALID, "the cells have 117 corners, not 116", lambda: fluid.set_solid([1.0] * 116))
        refused(sf.INVALID, "from 0 to 1", lambda: fluid.set(sf.FRACTION, 2))
        if sf.numpy:
            refused(sf.INVALID, "(9, 13)", lambda: fluid.set_solid(sf.numpy.ones((13, 9))))
        fluid.set_solid(None)
        check(set(listed(fluid.read(sf.FRACTION_X))) == {1.0}, "solids are taken out")


def bodies():
    """Two disks in a stream, and who feels what."""
    def distance(x, y):
        return min(math.hypot(x - 0.4, y - 0.3) - 0.15, math.hypot(x - 1.0, y - 0.7) - 0.2)

    with sf.Fluid(24, 16, h=1 / 16, backend=sf.HOST, viscosity=0.05,
                  faces={sf.LEFT: sf.inflow(u=1), sf.RIGHT: sf.total_pressure()}) as fluid:
        fluid.set_solid([distance(i / 16, j / 16) for j in range(17) for i in range(25)])
        refused(sf.INVALID, "there is no body 0", lambda: fluid.forces_on(0))
        labels = [-1] * (24 * 16)
        labels[5 * 24 + 6], labels[11 * 24 + 16] = 0, 1
        fluid.set_bodies(labels)
        refused(sf.INVALID, "make a step first", lambda: fluid.forces_on(0))
        fluid.step(0.05, 10)
        one, two = fluid.forces_on(0, (0.4, 0.3)), fluid.forces_on(1, (1.0, 0.7, 0))
        both = fluid.statistics().solid_force
        check(all(one.force[axis] > 0.01 and two.force[axis] != 0 for axis in (0,)), f"{one} and {two}")
        check(all(abs(one.force[axis] + two.force[axis] - both[axis]) < 1e-5 for axis in range(3)), f"{one} and {two}")
        check(one.force == tuple(one.pressure[axis] + one.friction[axis] for axis in range(3)), repr(one))
        check(one.torque[2] == one.pressure_torque[2] + one.friction_torque[2] != 0, repr(one))
        far = fluid.forces_on(0, (0.4, 1.3))  # a metre above: the drag turns it the other way
        check(abs(far.torque[2] - one.torque[2] - one.force[0]) < 1e-9, f"{far} and {one}")
        check(re.fullmatch(r"Forces\(force=\(.*, 0\), torque=\(0, 0, .*\)\)", repr(one)), repr(one))
        if sf.numpy:
            fluid.set_bodies(sf.numpy.array(labels).reshape(16, 24))
            fluid.step(0.05)
            check(fluid.forces_on(1).force[0] != 0, "labels as an array")
        for words, do in [
                ("there is no body 2, but 2 of them", lambda: fluid.forces_on(2)),
                ("the body is 1.0", lambda: fluid.forces_on(1.0)),
                ("the pivot has 1 parts", lambda: fluid.forces_on(1, [0])),
                ("a part of the pivot is 'a'", lambda: fluid.forces_on(1, "ab")),
                ("not finite", lambda: fluid.forces_on(1, (0, math.inf))),
                ("384 cells, not 2", lambda: fluid.set_bodies([0, 1])),
                ("the label[0, 1] is 65536", lambda: fluid.set_bodies([0, 65536] + [0] * 382)),
                ("whole number", lambda: fluid.set_bodies([0.5] * 384)),
                ("whole number", lambda: fluid.set_bodies(["a"] * 384)),
                ("whole number", lambda: fluid.set_bodies(3.5))]:
            refused(sf.INVALID, words, do)
        fluid.set_bodies(None)
        refused(sf.INVALID, "there is no body 0", lambda: fluid.forces_on(0))


def openings():
    """A wind that nothing drives, and one that a pressure drives."""
    sides = {side: sf.free_slip() for side in ("top", "bottom")}
    with sf.Fluid(16, 4, h=1 / 16, backend=sf.HOST,
                  faces={"left": sf.total_pressure(0.5), "right": sf.total_pressure(), **sides}) as fluid:
        fluid.step(0.02, 400)
        check(all(abs(value - 1) < 1e-3 for value in listed(fluid.read("u"))), "Torricelli")
        copied = pickle.loads(pickle.dumps(fluid))
        fluid.step(0.02)
        copied.step(0.02)
        check(listed(copied.read("u")) == listed(fluid.read("u")), "a copy of it")


def refusals():
    """Nothing is silently another thing: what is no such number, field, face or array is refused, and the line says
    where and what would be right."""
    def new(*cells, **given):
        return sf.Fluid(*cells, **{"backend": sf.HOST, **given})

    for words, cells, given in [
            ("nx is 4294967312: it must be from", (2**32 + 16, 16), {}),
            ("nx is None: it must be a whole number", (None, 4), {}),
            ("ny is 4.0: it must be a whole number", (4, 4.0), {}),
            ("nz is '2': it must be a whole number", (4, 4, "2"), {}),
            ("threads is 4294967297", (4, 4), {"threads": 2**32 + 1}),
            ("threads is 1025", (4, 4), {"threads": 1025}),
            ("splitting is 4294967297", (4, 4), {"splitting": 2**32 + 1}),
            ("splitting is 99", (4, 4), {"splitting": 99}),
            ("advection is 3", (4, 4), {"advection": 3}),
            ("cycles is 2.5", (4, 4), {"cycles": 2.5}),
            ("h is 1j: it must be a real number", (4, 4), {"h": 1j}),
            ("h is inf", (4, 4), {"h": 1e40}),
            ("viscosity is '1'", (4, 4), {"viscosity": "1"}),
            ("there is no face -1: there are left, right", (4, 4), {"faces": {-1: sf.outflow()}}),
            ("there is no face 6", (4, 4), {"faces": {6: sf.outflow()}}),
            ("there is no face 'west'", (4, 4), {"faces": {"west": sf.outflow()}}),
            ("a flat fluid has no front face", (4, 4), {"faces": {sf.FRONT: sf.outflow()}}),
            ("a flat fluid has no back face", (4, 4), {"faces": {"back": sf.outflow()}}),
            ("the left face is 3: make it by no_slip()", (4, 4), {"faces": {"left": 3}}),
            ("the left face is given twice", (4, 4), {"faces": {"left": sf.outflow(), sf.LEFT: sf.no_slip()}}),
            ("make it by zero_flux()", (4, 4), {"scalars": [sf.Scalar(faces={"left": sf.outflow()})]}),
            ("scalar 0's solid is 60: make it by", (4, 4), {"scalars": [sf.Scalar(solid=60)]}),
            ("there is no face -2", (4, 4), {"scalars": [sf.Scalar(faces={-2: sf.zero_flux()})]}),
            ("a flat fluid has no front", (4, 4), {"scalars": [sf.Scalar(faces={"front": sf.zero_flux()})]}),
            ("scalar 1's diffusion is None", (4, 4), {"scalars": [sf.Scalar(), sf.Scalar(diffusion=None)]}),
            ("buoyancy_direction has 4 parts", (4, 4), {"buoyancy_direction": (0, 0, 1, 0)}),
            ("buoyancy_direction has 1 parts", (4, 4), {"buoyancy_direction": (1,)})]:
        refused(sf.INVALID, words, lambda: new(*cells, **given))
    refused(sf.INVALID, "n is 100: it must be from 0 to 63", lambda: sf.scalar(100))
    refused(sf.INVALID, "n is -1", lambda: sf.source(-1))
    with new(6, 4, scalars=[sf.Scalar()]) as flat, new(5, 4, 3) as deep, tempfile.TemporaryDirectory() as folder:
        for words, do in [
                ("the field is 4294967296", lambda: flat.read(2**32)),
                ("the field is 1.0", lambda: flat.read(1.0)),
                ("there is no field 'velocity': there are u, v", lambda: flat.read("velocity")),
                ("this fluid has no field 2, w: it is flat", lambda: flat.read("w")),
                ("this fluid has no field 101, scalar_1", lambda: flat.read("scalar_1")),
                ("this fluid has no field 55", lambda: flat.read(55)),
                ("n is 64", lambda: flat.read("scalar_64")),
                ("pressure is computed: it may only be read", lambda: flat.set("pressure", 0)),
                ("u has 28 elements, not 2", lambda: flat.set("u", [1, 2])),
                ("u[3, 2] is nan: it must be finite", lambda: flat.set("u", [0.0] * 23 + [float("nan")] + [0.0] * 4)),
                ("w[2, 1, 3] is inf", lambda: deep.set("w", [0.0] * 48 + [1e300] + [0.0] * 31)),
                ("fraction[1, 2] is 1.5: a fraction must be", lambda: flat.set("fraction", [1] * 8 + [1.5] + [1] * 15)),
                ("the distance[4, 6] is nan", lambda: flat.set_solid([1.0] * 34 + [float("nan")])),
                ("real numbers", lambda: flat.set("u", [1j] * 28)),
                ("real numbers", lambda: flat.set("u", ["1"] * 28)),
                ("real numbers", lambda: flat.set("u", [None] * 28)),
                ("dt is 1j", lambda: flat.step(1j)),
                ("dt is None", lambda: flat.step(None)),
                ("dt is inf", lambda: flat.step(1e39)),
                ("count is 1.5", lambda: flat.step(0.1, 1.5)),
                ("count is -1", lambda: flat.step(0.1, -1)),
                ("has a NUL in it", lambda: flat.save_vti(folder + "/a.vti\0b")),
                ("it must be a list, such as ['u']", lambda: flat.save_vti(folder + "/a.vti", "u")),
                ("there is no field 'smoke'", lambda: flat.save_vti(folder + "/a.vti", ["smoke"]))]:
            refused(sf.INVALID, words, do)
        check(os.listdir(folder) == [] and flat.statistics().steps == 0, "what is refused has done something")
        for words, do in [
                ("the value for u is inf: it must be finite", lambda: flat.set("u", 1e300)),
                ("the value for u is nan", lambda: flat.set("u", float("nan"))),
                ("from 0 to 1", lambda: flat.set("fraction", -0.5)),
                ("pressure is computed", lambda: flat.set("pressure", 1.0)),
                ("no field 2, w", lambda: flat.set("w", 1.0))]:
            refused(sf.INVALID, words, do)
        flat.set("u", 2.5)
        check(set(listed(flat.read(sf.U))[1:6]) == {2.5}, "one number by name")
        flat.save_vti(folder + "/a.vti", ["scalar_0", sf.U])
        if sf.numpy:
            numpy = sf.numpy
            for one in (numpy.float32(0.5), numpy.int16(3), numpy.array(1.5), numpy.float64(2)):
                flat.set("scalar_0", one)
                check((flat.read("scalar_0") == float(one)).all(), f"{one!r} is one number")
                flat.step(numpy.float32(0.001), numpy.int64(1))
            masked = numpy.ma.masked_array(numpy.ones((4, 6)), numpy.eye(4, 6))
            refused(sf.INVALID, "masked", lambda: flat.set("scalar_0", masked))
            flat.set("scalar_0", masked.filled(7))
            check(flat.read("scalar_0")[0, 0] == 7, "a masked array that is filled")
            refused(sf.INVALID, "complex", lambda: flat.set("scalar_0", numpy.ones((4, 6), complex)))
            refused(sf.INVALID, "real numbers", lambda: flat.set("scalar_0", numpy.array(1j)))
            refused(sf.INVALID, "real numbers", lambda: flat.set("scalar_0", [[1, 2], [3]]))
            refused(sf.INVALID, "scalar_0[0, 0] is inf", lambda: flat.set("scalar_0", numpy.full((4, 6), 1e300)))
    with new(4, 4, faces={"left": sf.inflow(u=0.5), "right": sf.outflow()}) as named:
        named.step(0.01)
        check(all(value == 0.5 for value in listed(named.read("u"))[::5]), "faces by name")
    check(repr(new(32, 16)) == "<Fluid: 32 x 16 cells, h = 0.015625 m, 0 scalars, 0 s>", repr(new(32, 16)))
    later = new(5, 4, 3, h=0.5, scalars=[sf.Scalar()])
    later.step(0.125, 3)
    check(repr(later) == "<Fluid: 5 x 4 x 3 cells, h = 0.5 m, 1 scalar, 0.375 s>", repr(later))
    header = (ROOT / "library" / "include" / "stable_fluids.h").read_text(encoding="utf-8")
    version = [re.search(rf"VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    check(sf.__version__ == ".".join(version), f"the version is {sf.__version__}")
    check("c_int32" not in dir(sf) and {"Fluid", "U", "scalar", "Error", "__version__"} <= set(dir(sf)), "dir()")


def warnings_of_steps():
    """That `cycles` did not do for the tolerance is said, once for each call of step()."""
    force = [float(n % 5) for n in range(33 * 32)]
    for cycles, tolerance, count in [(1, 1e-6, 1), (50, 1e-6, 0), (1, 0, 0)]:
        with sf.Fluid(32, 32, backend=sf.HOST, cycles=cycles, tolerance=tolerance) as fluid, \
                warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fluid.set(sf.FORCE_X, force)
            fluid.step(0.01, 7)
            check(len(caught) == count, f"{cycles} cycles for {tolerance}: {[str(one.message) for one in caught]}")
            for one in caught:
                check(issubclass(one.category, sf.Unsolved) and "all of its 1 cycles and left" in str(one.message)
                      and "raise cycles or tolerance" in str(one.message) and one.filename == __file__,
                      f"{one.message} ({one.filename})")
            check(fluid.statistics().unsolved_steps == 7 * count, repr(fluid.statistics()))


def readme():
    """Whether what the README shows can be run."""
    text = (ROOT / "library" / "README.md").read_text(encoding="utf-8")
    names = {}
    dye, smoke, two_bodies = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(dye, names)
    check(0.01 < max(listed(names["dye"])) < 0.2, "the README's example")
    check(len(smoke.splitlines()) == 8, "smoke in eight lines")
    if sf.numpy:
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            exec(smoke, names)
            os.chdir(here)
            drawn = points_of(Path(folder) / "plume.png")
        shown = points_of(ROOT / "library" / "examples" / "plume.png")
        check(drawn[:2] == shown[:2] == (384, 576), "the size of the README's picture")
        apart = sum(abs(a - b) for a, b in zip(drawn[2], shown[2])) / len(shown[2])
        check(apart < 1, f"the README's picture is not what its lines draw: {apart} apart")
        check(max(drawn[2][384 * 3 * 220:384 * 3 * 300]) > 200, "the README's smoke does not rise")
        x, y = sf.numpy.meshgrid(sf.numpy.arange(25) / 16, sf.numpy.arange(17) / 16)
        with sf.Fluid(24, 16, h=1 / 16, backend=sf.HOST, viscosity=0.01) as fluid, io.StringIO() as printed:
            names = {"fluid": fluid, "np": sf.numpy, "one": sf.numpy.hypot(x - 0.4, y - 0.3) - 0.15,
                     "two": sf.numpy.hypot(x - 1.0, y - 0.7) - 0.2}
            fluid.set("u", 1)
            with contextlib.redirect_stdout(printed):
                exec(two_bodies, names)
            check(re.fullmatch(r"\(-?0\.0, -?0\.0, -?\d.*\)\n", printed.getvalue()), printed.getvalue())
            check(fluid.forces_on(0).force[0] != 0 != fluid.forces_on(1).force[0], "the README's bodies")


def points_of(path):
    """The width and height of a picture of save_png(), and its points, three bytes each."""
    png = path.read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    size = struct.unpack(">I", png[33:37])[0]
    rows = zlib.decompress(png[41:41 + size])
    return width, height, b"".join(rows[1 + n * (3 * width + 1):(n + 1) * (3 * width + 1)] for n in range(height))


def heated():
    """A fluid in which all of a description is other than usual."""
    heat = sf.Scalar(diffusion=0.01, dissipation=0.1, initial=1, buoyancy=0.5, ambient=1,
                     faces={"bottom": sf.fixed_flux(0.25), "top": sf.fixed_value(0.5)}, solid=sf.fixed_value(3))
    return sf.Fluid(7, 5, 4, h=0.25, viscosity=0.01, advection=sf.MACCORMACK, tolerance=1e-5, cycles=40, backend=sf.HOST,
                    threads=1, scalars=[heat, sf.Scalar(conserve=True)], confinement=0.5, splitting=sf.STRANG,
                    buoyancy_direction=(0.1, -1, 0.2), faces={"left": sf.periodic(), "right": sf.periodic(),
                                                              "top": sf.no_slip(u=0.5), "back": sf.free_slip()})


def put_aside():
    """A fluid that is saved goes on to the same bits, from a file or from another process."""
    one = heated()
    one.set(sf.FORCE_X, 0.1)
    one.set_solid([(i - 3.2) ** 2 + (j - 2) ** 2 + k - 2.5 for k in range(5) for j in range(6) for i in range(8)])
    one.step(0.05, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ü.fluid"
        one.save(path)
        written = path.read_bytes()
        others = [sf.Fluid.load(path), sf.Fluid.load(str(path), threads=2), pickle.loads(pickle.dumps(one))]
        check(os.listdir(folder) == ["ü.fluid"], "save() leaves other files")
        one.step(0.05, 2)
        for other in others:
            other.step(0.05, 2)
            check(repr(other) == repr(one), f"{other!r} for {one!r}")
            for field in ("u", "v", "w", "pressure", "scalar_0", "scalar_1", "fraction", "force_x"):
                check(bytes(other.read(field)) == bytes(one.read(field)), f"{field} of a fluid that was saved")
            other.save(path)
            check(other._settings() == one._settings() or other is others[1], "the description")
        for bytes_of, words in [(b"", "no file that Fluid.save()"), (written[:40], "no file that"),
                                (written[:-4], "the state is damaged"),
                                (written.replace(b'"nx": 7', b'"nx": 8'), "another box"),
                                (written.replace(b'"nx": 7', b'"ny": 7'), "the fluid's description is damaged"),
                                (written.replace(b'"h"', b'"H"'), "the fluid's description is damaged")]:
            path.write_bytes(bytes_of)
            refused(sf.INVALID, words, lambda: sf.Fluid.load(path))
        try:
            one.save(Path(folder) / "no" / "folder")
            check(False, "saved without a folder")
        except OSError:
            pass


def until():
    """run() ends when it should, in steps that are no longer than they may be."""
    with sf.Fluid(20, 16, h=0.05, backend=sf.HOST, faces={"left": sf.inflow(u=1), "right": sf.outflow()}) as fluid:
        times, crossed = [], []

        def look(seen):
            times.append(seen.time)
            crossed.append(seen.statistics().cfl)
        steps = fluid.run(0.2, cfl=0.5, every=0.05, callback=look)
        check(len(times) == 4 and all(abs(time - 0.05 * (n + 1)) < 1e-6 for n, time in enumerate(times)), repr(times))
        check(fluid.statistics().steps == steps and max(crossed) < 0.75 and crossed[-1] > 0.3, repr(crossed))
        check(fluid.run(0.2) == 0 and fluid.run(-1) == 0, "run() until a moment that has passed")
        times.clear()
        check(fluid.run(0.21, longest=0.001, callback=look) == 10 == len(times), f"steps of at most 0.001: {times}")
        for words, given in [("cfl is 0", {"cfl": 0}), ("longest is nan", {"longest": float("nan")}),
                             ("every is -1", {"every": -1}), ("until is inf", {"until": float("inf")})]:
            refused(sf.INVALID, words, lambda: fluid.run(**{"until": 1, **given}))
        stderr, sys.stderr = sys.stderr, io.StringIO()
        try:
            fluid.step(0.001, 5, progress=True)
            fluid.run(0.3, progress=True)
            said = sys.stderr.getvalue()
        finally:
            sys.stderr = stderr
        check(said.count("100 %") == 2 and said.endswith("\n"), repr(said))


def places():
    """Where a field's points are, and what is between them."""
    faces = {"front": sf.periodic(), "back": sf.periodic()}
    with sf.Fluid(5, 4, 3, h=0.5, backend=sf.HOST, faces=faces, scalars=[sf.Scalar()]) as fluid:
        x, y, z = ([float(place) for place in (along.ravel() if sf.numpy else along)] for along in fluid.coordinates("v"))
        check((x, y, z) == ([0.25, 0.75, 1.25, 1.75, 2.25], [0, 0.5, 1, 1.5, 2], [0.25, 0.75, 1.25]), f"{x} {y} {z}")
        if not sf.numpy:
            refused(sf.INVALID, "NumPy", lambda: fluid.sample("v", (1, 1, 1)))
            return
        x, y, z = fluid.coordinates("scalar_0")
        fluid.set("scalar_0", 3 * x - 2 * y + 0 * z)
        check(abs(fluid.sample("scalar_0", (1.1, 0.6, 0.1)) - 2.1) < 1e-6, "a sample")
        found = fluid.sample("scalar_0", [[[0.3, 1.3, 1.4], [-9, 0.25, 0.7]], [[99, 99, 99], [2.25, 1.75, -8]]])
        check(found.shape == (2, 2) and abs(found - [[-1.7, 0.25], [3.25, 3.25]]).max() < 1e-5, f"samples {found}")
        fluid.set("scalar_0", 0 * x + 0 * y + [[[1]], [[2]], [[4]]])
        check(abs(fluid.sample("scalar_0", (1, 1, 1.5)) - 2.5) < 1e-6, "a sample across a joined face")
        refused(sf.INVALID, "the last length must be 3, for (x, y, z)", lambda: fluid.sample("v", [(1, 1)]))

        class There:  # an array on a GPU, as it says
            def __init__(self, **given):
                self.__cuda_array_interface__ = {"shape": (3, 4, 5), "typestr": "<f4", "data": (16, False), **given}
        for words, given in [("use stable_fluids_set()", {}), ("must be (3, 4, 5)", {"shape": (5, 4, 3)}),
                             ("floats of 32 bits without gaps", {"typestr": "<f8"}),
                             ("floats of 32 bits without gaps", {"strides": (80, 20, 8)})]:
            refused(sf.INVALID, words, lambda: fluid.set("scalar_0", There(**given)))


def pictures():
    with tempfile.TemporaryDirectory() as folder, sf.Fluid(6, 4, backend=sf.HOST, scalars=[sf.Scalar()]) as fluid:
        fluid.set("scalar_0", [float(n) for n in range(24)])
        fluid.save_png(Path(folder) / "a.png")
        width, height, points = points_of(Path(folder) / "a.png")
        check((width, height) == (480, 320) and points[:3] == b"\0\0\x08" and points[-3:] == b"\xff\xff\xf0", "a picture")
        fluid.set("scalar_0", [-1.0] * 12 + [3.0] * 12)
        fluid.save_png(Path(folder) / "b.png", "scalar_0")
        points = points_of(Path(folder) / "b.png")[2]
        check(points[2] > points[0] and points[-3] > points[-1], "blue is less than 0, and red more")
        fluid.save_png(Path(folder) / "c.png", sf.SPEED)  # the same everywhere
        check(set(points_of(Path(folder) / "c.png")[2]) == {0, 8}, "a picture of nothing")
        refused(sf.INVALID, "no field 'smoke'", lambda: fluid.save_png(Path(folder) / "d.png", "smoke"))
        check(sorted(os.listdir(folder)) == ["a.png", "b.png", "c.png"], "what save_png() leaves")
    with sf.Fluid(5, 4, 3, backend=sf.HOST) as deep:
        deep.set("expansion", [float(n // 20 == 1) for n in range(60)])
        check(deep._layer("expansion") == [[1.0] * 5] * 4, "the layer in the middle")


os.environ.pop("STABLE_FLUIDS_LIBRARY", None)
library = sf.load(sys.argv[1])
check(sf.load(sys.argv[1]).stable_fluids_version() == library.stable_fluids_version(), "the version")
os.environ["STABLE_FLUIDS_LIBRARY"] = sys.argv[1]
constants()
flat()
deep()
files()
dlpack()
on_device()
smoke()
solids()
bodies()
openings()
refusals()
warnings_of_steps()
put_aside()
until()
places()
pictures()
readme()
check("\n" not in sf.why_no_cuda(), "why_no_cuda() has more than one line")
refused(sf.INVALID, "box", lambda: sf.Fluid(0, 4))
refused(sf.INVALID, "periodic", lambda: sf.Fluid(4, 4, faces={sf.LEFT: sf.periodic()}))
try:
    sf.load("no/such/library")
    check(False, "a library that is not there is loaded")
except OSError as error:
    check("STABLE_FLUIDS_LIBRARY" in str(error), str(error))
print(f"{'with' if sf.numpy else 'without'} NumPy: {problems} problems")
sys.exit(1 if problems else 0)
