"""The workbook's fluid from Python: what stable_fluids.h offers, through ctypes.

    import stable_fluids as sf
    with sf.Fluid(192, 64, h=1 / 64, viscosity=1e-4, scalars=[sf.Scalar(dissipation=0.05)],
                  faces={sf.LEFT: sf.inflow(u=0.3), sf.RIGHT: sf.outflow()}) as fluid:
        fluid.set(sf.source(0), 0.1)
        fluid.step(1 / 60, 100)
        dye = fluid.read(sf.scalar(0))

Arrays are rows of floats, i fastest: with NumPy, dye[j, i] in a flat fluid and dye[k, j, i] in any other.
Without NumPy, read() gives a ctypes array, one number after the other, view() something for PyTorch and
the like to read (a View), and set() and add() take any sequence of numbers.

Fields and faces may be given by name: fluid.read("pressure"), faces={"left": sf.inflow(u=0.3)}. If it is not
given, h is 1/64 m, however many cells there are. x goes from left to right, y from top to bottom, z from front to
back. The fields are:

    u, v, w                        velocity, m/s, on the cells' faces that look along x, y and z
    force_x, force_y, force_z      m/s2, where u, v and w are. They act in each step until they are changed.
    pressure                       over the density, m2/s2, at the cells' centres, as all below it; only to read
    divergence, vorticity          1/s (the curl's length if the fluid is deep); only to read
    vorticity_x, _y, _z, speed     1/s, and m/s; only to read
    expansion                      1/s: the divergence that a step is to leave, such as that of a gas that burns
    fraction, fraction_x, _y, _z   the fluid's share of each cell, and of each face: less than 1 at solids
    solid_u, solid_v, solid_w      the solids' velocity, m/s, where u, v and w are
    scalar_0, source_0 and so on   a scalar in its unit, and what is added to it each second

Threads may share a Fluid: each call has it for itself, and a long step() lets others have their turn between
two steps. A view of a field keeps the fluid's memory, even when the Fluid has been closed.

fluid.run(10) lets ten seconds pass in steps that suit the flow, fluid.show() draws what is there, and fluid.save()
puts the fluid aside, for Fluid.load() to go on with, to the same bits.

The library is looked for where load() says.
"""

import array
import ctypes
import json
import math
import numbers
import operator
import os
import re
import struct
import sys
import threading
import time
import warnings
import weakref
import zlib
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_ssize_t, \
    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None

__version__ = "1.4.0"

# ---- The header's numbers --------------------------------------------------------------------------

OK, INVALID, OUT_OF_MEMORY, NO_DEVICE, DEVICE_ERROR, NOT_FINITE, INTERNAL, FILE_ERROR = range(8)  # a stable_fluids_status
LEFT, RIGHT, TOP, BOTTOM, FRONT, BACK = range(6)  # faces of the box
NO_SLIP, FREE_SLIP, INFLOW, OUTFLOW, PERIODIC, TOTAL_PRESSURE = range(6)  # what the fluid meets there
ZERO_FLUX, FIXED_VALUE, SCALAR_PERIODIC, FIXED_FLUX = range(4)  # what a scalar meets there
LINEAR, MACCORMACK, CENTRAL = range(3)  # how things are carried
LIE, STRANG, MIDPOINT = range(3)  # how a step is split
BEST, HOST, CUDA = range(3)  # where it is computed
U, V, W, FORCE_X, FORCE_Y, FORCE_Z = range(6)  # fields
PRESSURE, DIVERGENCE, SPEED, VORTICITY, VORTICITY_X, VORTICITY_Y, VORTICITY_Z, EXPANSION = range(6, 14)
FRACTION, FRACTION_X, FRACTION_Y, FRACTION_Z, SOLID_U, SOLID_V, SOLID_W = range(14, 21)  # solids


FACES = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM, "front": FRONT, "back": BACK}
FIELDS = {name: number for number, name in enumerate(
    "u v w force_x force_y force_z pressure divergence speed vorticity vorticity_x vorticity_y vorticity_z "
    "expansion fraction fraction_x fraction_y fraction_z solid_u solid_v solid_w".split())}


class Error(Exception):
    """What the library had to say, in one line. `status` is what it returned."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status

    def __reduce__(self):  # so that it may come from another process
        return Error, (self.status, str(self))


class Unsolved(RuntimeWarning):
    """A step did not do all that was asked: it made all its cycles and left more of the divergence than the tolerance,
    or could not keep the total of a scalar."""


# ---- Numbers, as they are given --------------------------------------------------------------------

_INT_MIN, _INT_MAX = -2**31, 2**31 - 1


def _whole(name, value, least=_INT_MIN, most=_INT_MAX):
    """A whole number that the library's int32_t holds as it is."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(INVALID, f"{name} is {value!r}: it must be a whole number") from None
    if not least <= number <= most:
        raise Error(INVALID, f"{name} is {number}: it must be from {least} to {most}")
    return number


def _is_number(value):
    """Whether it is one real number, NumPy's included."""
    return isinstance(value, numbers.Real) or (
        numpy is not None and isinstance(value, numpy.ndarray) and value.ndim == 0 and value.dtype.kind in "buif"
        and not numpy.ma.is_masked(value))


def _real(name, value):
    if not _is_number(value):
        raise Error(INVALID, f"{name} is {value!r}: it must be a real number")
    return float(value)


def _field_number(field):
    """The number of a field that is given by its number or its name."""
    if not isinstance(field, str):
        return _whole("the field", field)
    if field in FIELDS:
        return FIELDS[field]
    many = re.fullmatch("(scalar|source)_([0-9]{1,2})", field)
    if not many:
        raise Error(INVALID, f"there is no field {field!r}: there are {', '.join(FIELDS)}, scalar_0 and source_0 and "
                             "so on")
    return (scalar if many[1] == "scalar" else source)(int(many[2]))


def _faces(given, flat, kind, makers):
    """The faces of a dict, by number. All of them must be of that kind."""
    faces = {}
    for place, face in dict(given or {}).items():
        number = FACES.get(place) if isinstance(place, str) else _whole("a face", place)
        if number not in FACES.values():
            raise Error(INVALID, f"there is no face {place!r}: there are {', '.join(FACES)}, or LEFT to BACK")
        if flat and number >= FRONT:
            raise Error(INVALID, f"a flat fluid has no {list(FACES)[number]} face: leave it out, or let nz be 2 or more")
        if not isinstance(face, kind):
            raise Error(INVALID, f"the {list(FACES)[number]} face is {face!r}: make it by {makers}")
        if number in faces:
            raise Error(INVALID, f"the {list(FACES)[number]} face is given twice: leave one out")
        faces[number] = face
    return faces


def _cores():
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scalar(n):
    """The field of scalar n, which is from 0 to 63."""
    return 100 + _whole("n", n, 0, 63)


def source(n):
    """The field of what is added to scalar n each second."""
    return 200 + _whole("n", n, 0, 63)


# ---- The header's structs --------------------------------------------------------------------------

class Face(ctypes.Structure):
    """One face of the box, as the fluid sees it. Made by no_slip() and the functions below it."""
    _fields_ = [("flow", c_int32), ("u", c_float), ("v", c_float), ("w", c_float),
                ("pressure", c_float)]


def no_slip(u=0, v=0, w=0):
    """A wall that the fluid sticks to, which may slide along itself."""
    return Face(NO_SLIP, u, v, w, 0)


def free_slip():
    """A wall without friction."""
    return Face(FREE_SLIP, 0, 0, 0, 0)


def inflow(u=0, v=0, w=0):
    """Fluid comes in with that velocity, in m/s."""
    return Face(INFLOW, u, v, w, 0)


def outflow(pressure=0):
    """Open, with that pressure (over density) outside."""
    return Face(OUTFLOW, 0, 0, 0, pressure)


def total_pressure(pressure=0):
    """Open, with that pressure (over density) outside, where the fluid is at rest. What comes in is held back by half
    the square of its velocity (Bernoulli), so that a wind does not blow through the box for ever."""
    return Face(TOTAL_PRESSURE, 0, 0, 0, pressure)


def periodic():
    """Joined to the opposite face. Scalars follow suit by themselves, unless told otherwise."""
    return Face(PERIODIC, 0, 0, 0, 0)


class ScalarFace(ctypes.Structure):
    """One face of the box, as a scalar sees it."""
    _fields_ = [("flow", c_int32), ("value", c_float)]


def zero_flux():
    """None of it passes."""
    return ScalarFace(ZERO_FLUX, 0)


def fixed_value(value):
    """It has that value there."""
    return ScalarFace(FIXED_VALUE, value)


def fixed_flux(value):
    """So much of it diffuses in there, in its unit times m/s, as through a heated wall; out if it is less than 0. The
    scalar's diffusion must be more than 0."""
    return ScalarFace(FIXED_FLUX, value)


class _Scalar(ctypes.Structure):
    _fields_ = [("diffusion", c_float), ("dissipation", c_float), ("initial", c_float),
                ("conserve", c_int32), ("faces", ScalarFace * 6), ("solid", ScalarFace)]


class _Buoyancy(ctypes.Structure):
    _fields_ = [("share", c_float), ("ambient", c_float)]


class Scalar:
    """One scalar: how fast it spreads (m2/s) and decays (1/s), what every cell holds at first, whether
    being carried is to keep its total, and its faces, a dict such as {LEFT: fixed_value(1)}. `solid` is what it meets
    at solids, such as fixed_value(60) or fixed_flux(0.1). `buoyancy` is how hard it pushes the fluid along the
    Fluid's buoyancy_direction (m/s2 for each unit), and `ambient` the value at which it does not."""

    def __init__(self, diffusion=0, dissipation=0, initial=0, conserve=False, faces=None, buoyancy=0,
                 ambient=0, solid=None):
        self.diffusion, self.dissipation, self.initial = diffusion, dissipation, initial
        self.conserve = conserve
        self.faces = dict(faces or {})
        self.buoyancy, self.ambient = buoyancy, ambient
        self.solid = zero_flux() if solid is None else solid


class _Description(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("nx", c_int32), ("ny", c_int32), ("nz", c_int32), ("h", c_float),
                ("viscosity", c_float), ("advection", c_int32), ("tolerance", c_float),
                ("cycles", c_int32), ("scalar_count", c_int32), ("scalars", POINTER(_Scalar)),
                ("faces", Face * 6), ("backend", c_int32), ("threads", c_int32),
                ("buoyancy", POINTER(_Buoyancy)), ("buoyancy_direction", c_float * 3),
                ("confinement", c_float), ("splitting", c_int32), ("scalar_size", c_size_t),
                ("buoyancy_size", c_size_t)]


class _View(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("data", c_void_p), ("shape", c_int32 * 3),
                ("strides", c_ssize_t * 3), ("on_device", c_int32), ("stream", c_void_p)]


class Statistics(ctypes.Structure):
    """What can be said of a fluid in numbers.

    So far: `steps`, `time` (s), and `unsolved_steps`, which made all their cycles and left more than the tolerance.
    Now: `kinetic_energy` (over the density, m5/s2, or m4/s2 if flat), `largest_divergence` (1/s), `largest_speed`
    (m/s, of a component on any face), `closed_regions` (of fluid, without an outflow), `closed_divergence` (1/s, what
    moving solids force on one of them), `bytes` (of memory) and `backend`.
    Of the last step: `cfl` (how many cells the fastest component crossed), `pressure_cycles`, `pressure_residual`
    (the unwanted divergence after it over that before), `viscosity_sweeps`, `viscosity_residual`, `solid_force` (on
    all solids along x, y and z, over the density, m4/s2, or m3/s2 if flat) and `corrected` (the share of MacCormack's
    correction)."""
    _fields_ = [("size", c_uint32), ("backend", c_int32), ("steps", c_int64), ("time", c_double),
                ("kinetic_energy", c_double), ("largest_divergence", c_double),
                ("largest_speed", c_double), ("cfl", c_double), ("pressure_residual", c_double),
                ("pressure_cycles", c_int32), ("viscosity_sweeps", c_int32),
                ("viscosity_residual", c_double), ("bytes", c_uint64), ("solid_force", c_double * 3),
                ("closed_regions", c_int32), ("closed_divergence", c_double), ("corrected", c_double),
                ("unsolved_steps", c_int64)]

    def __repr__(self):
        def words(value):
            return f"{value:.6g}" if isinstance(value, (int, float)) else f"({', '.join(map(words, value))})"
        return "Statistics(" + ", ".join(f"{name}={words(getattr(self, name))}"
                                         for name, *_ in self._fields_[1:]) + ")"


class Forces(ctypes.Structure):
    """The force and the torque of the fluid on one body in the last step, over the density, along x, y and z:
    `pressure` and `friction` (m4/s2, or m3/s2 if flat), and `force`, which is both together; `pressure_torque` and
    `friction_torque` (m5/s2, or m4/s2 if flat), and `torque`, which is both together."""
    _fields_ = [("size", c_uint32), ("pressure", c_double * 3), ("friction", c_double * 3),
                ("pressure_torque", c_double * 3), ("friction_torque", c_double * 3)]

    @property
    def force(self):
        """That of pressure and friction together."""
        return tuple(a + b for a, b in zip(self.pressure, self.friction))

    @property
    def torque(self):
        """That of pressure and friction together."""
        return tuple(a + b for a, b in zip(self.pressure_torque, self.friction_torque))

    def __repr__(self):
        def words(parts):
            return f"({', '.join(f'{part:.6g}' for part in parts)})"
        return f"Forces(force={words(self.force)}, torque={words(self.torque)})"


# ---- The library -----------------------------------------------------------------------------------

_loaded = None  # what Fluids use that are not given a library


def _candidates():
    """Where the library may be, in the order in which it is looked for there."""
    if os.environ.get("STABLE_FLUIDS_LIBRARY"):
        yield os.environ["STABLE_FLUIDS_LIBRARY"]
        return
    here = Path(__file__).resolve()
    alone = {"win32": "stable_fluids.dll", "darwin": "libstable_fluids.dylib"}.get(
        sys.platform, "libstable_fluids.so")
    if (here.parent / alone).exists():  # in a wheel
        yield str(here.parent / alone)
        return
    name = {"win32": "stable_fluids.dll", "darwin": "libstable_fluids.1.dylib"}.get(
        sys.platform, "libstable_fluids.so.1")
    for folder in here.parents[2:6]:  # where it was built, or installed
        for place in ("build/lib", "build/bin", "lib", "lib64", "lib/*-linux-gnu", "bin"):
            yield from (str(path) for path in sorted(folder.glob(f"{place}/{name}")))
    yield name  # the system knows


def load(path=None):
    """Loads the library and returns it. It is that of `path`; or else of the environment variable
    STABLE_FLUIDS_LIBRARY; or else the one beside this module, where both were built or installed; or
    else the system's. Fluid() calls this by itself."""
    global _loaded
    if path is None and _loaded is not None:
        return _loaded
    for candidate in [os.fspath(path)] if path is not None else _candidates():
        try:
            library = ctypes.CDLL(candidate)
            break
        except OSError as error:
            why = error
    else:
        raise OSError(f"the library stable_fluids cannot be loaded ({why}): build the workbook, or set "
                      "STABLE_FLUIDS_LIBRARY to the library's file")
    for name, result, arguments in [
            ("version", c_int32, []),
            ("describe_sizes", None, [POINTER(_Description), c_size_t, c_size_t, c_size_t]),
            ("describe_scalar_sized", None, [POINTER(_Scalar), c_size_t]),
            ("create", c_int32, [POINTER(_Description), POINTER(c_void_p)]),
            ("destroy", None, [c_void_p]),
            ("error", c_char_p, [c_void_p]),
            ("why_no_cuda", c_char_p, []),
            ("shape", c_int32, [c_void_p, c_int32, POINTER(c_int32)]),
            ("set", c_int32, [c_void_p, c_int32, POINTER(c_float), c_size_t]),
            ("add", c_int32, [c_void_p, c_int32, POINTER(c_float), c_size_t]),
            ("set_from_device", c_int32, [c_void_p, c_int32, c_void_p, c_size_t, c_void_p]),
            ("fill", c_int32, [c_void_p, c_int32, c_float]),
            ("set_bodies", c_int32, [c_void_p, POINTER(c_int32), c_size_t]),
            ("forces_on", c_int32, [c_void_p, c_int32, POINTER(c_double), POINTER(Forces)]),
            ("set_solid", c_int32, [c_void_p, POINTER(c_float), c_size_t]),
            ("read", c_int32, [c_void_p, c_int32, POINTER(c_float), c_size_t]),
            ("view", c_int32, [c_void_p, c_int32, POINTER(_View)]),
            ("save_vti", c_int32, [c_void_p, c_char_p, POINTER(c_int32), c_size_t]),
            ("save_vdb", c_int32, [c_void_p, c_char_p, POINTER(c_int32), c_size_t]),
            ("step", c_int32, [c_void_p, c_float, c_int32]),
            ("warning", c_char_p, [c_void_p]),
            ("wait", c_int32, [c_void_p]),
            ("time", c_double, [c_void_p]),
            ("state_size", c_int32, [c_void_p, POINTER(c_size_t)]),
            ("get_state", c_int32, [c_void_p, c_void_p, c_size_t]),
            ("set_state", c_int32, [c_void_p, c_char_p, c_size_t]),
            ("statistics_of", c_int32, [c_void_p, POINTER(Statistics)])]:
        try:
            function = getattr(library, f"stable_fluids_{name}")
        except AttributeError:
            raise OSError(f"{candidate} has no stable_fluids_{name}, so it is older than this module, "
                          "which is for version 1.4: use the module that came with it") from None
        function.restype, function.argtypes = result, arguments
    version = library.stable_fluids_version()
    if version // 10000 != 1:
        raise OSError(f"{candidate} is version {version // 10000} of the library, and this module is for "
                      "version 1: use the module that came with it")
    if path is None:
        _loaded = library
    return library


def why_no_cuda():
    """Why CUDA cannot be used, in one line; empty if it can."""
    return load().stable_fluids_why_no_cuda().decode()


# ---- Fields for other packages: DLPack -------------------------------------------------------------
# https://dmlc.github.io/dlpack/latest/c_api.html, and python_spec.html beside it.

class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _ManagedTensor(ctypes.Structure):  # DLManagedTensor
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _ManagedTensorVersioned(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("tensor", _Tensor)]


_DL_HOST, _DL_CUDA = 1, 2  # kDLCPU, kDLCUDA
_DL_FLOAT = 2  # kDLFloat
_DL_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
_DL_NAMES = (b"dltensor", b"dltensor_versioned")

_python = ctypes.pythonapi
_new_capsule = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", _python))
_is_capsule = ctypes.PYFUNCTYPE(c_int32, c_void_p, c_char_p)(("PyCapsule_IsValid", _python))
_in_capsule = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))

# What has been handed out, by the address of its struct, so that the View and its fluid live until whoever
# took it calls the deleter. The functions below take their globals along: Python may have cleared those of
# the module when they are called for the last time.
_handed_out = {}


@ctypes.CFUNCTYPE(None, c_void_p)  # it takes the interpreter's lock, which its caller need not have
def _deleter(address, handed_out=_handed_out):
    handed_out.pop(address, None)


@ctypes.PYFUNCTYPE(None, c_void_p)
def _destructor(capsule, names=_DL_NAMES, valid=_is_capsule, inside=_in_capsule, handed_out=_handed_out):
    for name in names:
        if valid(capsule, name):  # nobody has taken what it holds, and renamed it
            handed_out.pop(inside(capsule, name), None)


for _function in (_deleter, _destructor):  # others may call them when this module is gone
    _python.Py_IncRef(py_object(_function))


def _gpu_of(address):
    """The number of the GPU with that address, as CUDA's driver counts them."""
    number = c_int32(-1)
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        status = driver.cuPointerGetAttribute(byref(number), 9, c_uint64(address))  # DEVICE_ORDINAL
    except (OSError, AttributeError) as error:
        raise BufferError(f"CUDA's driver cannot be asked for the number of the GPU: {error}") from None
    if status:
        raise BufferError(f"CUDA's driver does not know the number of the GPU (its error {status})")
    return number.value


class View:
    """A field where it lies, without a copy, for what knows DLPack, such as PyTorch and CuPy:
torch.from_dlpack(view). It is not to be written to. Fluid.view() says how long it holds."""

    def __init__(self, fluid, address, shape, strides, owner=None):
        self.fluid = fluid
        self._owner = owner or fluid._owner  # of the memory, which must live as long as the view
        self.address, self.shape, self.strides = address, shape, strides  # strides in bytes

    def __dlpack_device__(self):
        return _DL_HOST, 0

    def _wait_for(self, stream):
        if stream is not None:
            raise BufferError(f"a field in the computer's memory has no streams, and stream is {stream}")

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A capsule with a DLManagedTensorVersioned, which says that it must not be written to, or with a
        DLManagedTensor for those who do not give a max_version of (1, 0) or more."""
        device = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != device:
            raise BufferError(f"the field is on device {device}, and not on {tuple(dl_device)}: copy it there")
        if copy:
            raise BufferError("a view is no copy: copy what it becomes")
        self._wait_for(stream)
        count = len(self.shape)
        shape = (c_int64 * count)(*self.shape)
        strides = (c_int64 * count)(*[stride // 4 for stride in self.strides])
        tensor = _Tensor(self.address, *device, count, _DL_FLOAT, 32, 1, shape, strides, 0)
        deleter = ctypes.cast(_deleter, c_void_p)
        versioned = max_version is not None and max_version[0] >= 1
        if versioned:
            managed = _ManagedTensorVersioned(1, 0, None, deleter, _DL_READ_ONLY, tensor)
        else:
            managed = _ManagedTensor(tensor, None, deleter)
        address = ctypes.addressof(managed)
        _handed_out[address] = self, managed, shape, strides
        return _new_capsule(address, _DL_NAMES[versioned], ctypes.cast(_destructor, c_void_p))


class DeviceView(View):
    """A View of a field on the GPU, described by the CUDA Array Interface, version 3, as well. By that
    interface, whoever reads it waits for the stream that writes it. Made by Fluid.device_view()."""

    def __init__(self, fluid, address, shape, strides, stream, owner=None):
        super().__init__(fluid, address, shape, strides, owner)
        self.__cuda_array_interface__ = {"version": 3, "typestr": "<f4", "shape": shape, "strides": strides,
                                         "data": (address, True), "stream": stream}

    def __dlpack_device__(self):
        return _DL_CUDA, _gpu_of(self.address)

    def _wait_for(self, stream):
        if stream == 0:
            raise BufferError("stream 0 could be either of CUDA's default streams: say 1 or 2")
        if stream != -1 and self.fluid._owner:  # -1 means that the caller waits by itself
            self.fluid.wait()  # then it is there for every stream


class _Owner:
    """A fluid of the library. It is destroyed when nobody needs it any more: neither its Fluid, nor a view,
    nor a call that is under way."""

    def __init__(self, library, handle):
        self._destroy = library.stable_fluids_destroy
        self.handle = handle

    def __del__(self):
        self._destroy(self.handle)


_fluids = weakref.WeakSet()  # all there are


def _after_fork():
    for fluid in list(_fluids):
        fluid._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Fluid:
    """A box of nx x ny x nz cells, each h metres wide; nz = 1 is a flat fluid. If they are not given, h is 1/64 m,
    however many cells there are, all faces are walls that the fluid sticks to, viscosity is 0, advection LINEAR,
    splitting LIE, tolerance 1e-4, cycles 50, and the fluid is computed on the GPU if there is one.

    `faces` is a dict such as {"left": inflow(u=1), "right": outflow()}, with LEFT, RIGHT and so on for the names
    if you like, and `scalars` a list of Scalar. `viscosity` is in m2/s. `advection` is LINEAR, MACCORMACK or CENTRAL,
    `splitting` LIE, STRANG or MIDPOINT, `backend` BEST, HOST or CUDA. `tolerance` is the fraction of the divergence that a
    step may leave, and `cycles` how many V-cycles it may take for that. `threads` is how many threads compute, no
    more than there are cores; results do not depend on it. `confinement` is the strength of the vorticity
    confinement (1/s), and `buoyancy_direction` where buoyancy pushes, as (x, y, z). At first that is (0, -1, 0),
    which is up where y points down."""

    _owner = None
    _why_closed = "this Fluid has been closed: make a new one"

    def __init__(self, nx, ny, nz=1, *, h=None, viscosity=None, advection=None, tolerance=None,
                 cycles=None, backend=None, threads=None, faces=None, scalars=(), confinement=None,
                 buoyancy_direction=None, splitting=None, library=None):
        self._library = load(library)
        self._lock, self._waiting = threading.RLock(), set()
        description = _Description()
        self._library.stable_fluids_describe_sizes(byref(description), ctypes.sizeof(description),
                                                   ctypes.sizeof(_Scalar), ctypes.sizeof(_Buoyancy))
        for name, value in {"nx": nx, "ny": ny, "nz": nz}.items():
            setattr(description, name, _whole(name, value))
        for name, value in {"advection": advection, "cycles": cycles, "backend": backend, "threads": threads,
                            "splitting": splitting}.items():
            if value is not None:
                setattr(description, name, _whole(name, value))
        for name, value in {"h": h, "viscosity": viscosity, "tolerance": tolerance,
                            "confinement": confinement}.items():
            if value is not None:
                setattr(description, name, _real(name, value))
        if 1 <= description.threads <= 1024:  # others are refused
            description.threads = min(description.threads, _cores())
        flat = description.nz == 1
        makers_of_faces = "no_slip(), free_slip(), inflow(), outflow(), total_pressure() or periodic()"
        for place, face in _faces(faces, flat, Face, makers_of_faces).items():
            description.faces[place] = face
        scalars = list(scalars)
        described = (_Scalar * len(scalars))()
        for number, (one, wanted) in enumerate(zip(described, scalars)):
            self._library.stable_fluids_describe_scalar_sized(byref(one), ctypes.sizeof(one))
            for name in ("diffusion", "dissipation", "initial"):
                setattr(one, name, _real(f"scalar {number}'s {name}", getattr(wanted, name)))
            one.conserve = bool(wanted.conserve)
            for place in range(6):
                if description.faces[place].flow == PERIODIC:
                    one.faces[place].flow = SCALAR_PERIODIC
            makers = "zero_flux(), fixed_value() or fixed_flux()"
            for place, face in _faces(wanted.faces, flat, ScalarFace, makers).items():
                one.faces[place] = face
            if not isinstance(wanted.solid, ScalarFace):
                raise Error(INVALID, f"scalar {number}'s solid is {wanted.solid!r}: make it by {makers}")
            one.solid = wanted.solid
        description.scalar_count, description.scalars = len(scalars), described
        pushes = (_Buoyancy * len(scalars))(*[
            (_real(f"scalar {number}'s buoyancy", one.buoyancy), _real(f"scalar {number}'s ambient value", one.ambient))
            for number, one in enumerate(scalars)])
        description.buoyancy = pushes
        if buoyancy_direction is not None:
            direction = [_real("a part of buoyancy_direction", part) for part in buoyancy_direction]
            if len(direction) not in (2, 3):
                raise Error(INVALID, f"buoyancy_direction has {len(direction)} parts: it must be (x, y) or (x, y, z)")
            description.buoyancy_direction[:] = [*direction, 0][:3]
        handle = c_void_p()
        status = self._library.stable_fluids_create(byref(description), byref(handle))
        if status:
            raise Error(status, self._library.stable_fluids_error(None).decode())
        self._owner = _Owner(self._library, handle)
        self.nx, self.ny, self.nz, self.h = description.nx, description.ny, description.nz, description.h
        self.flat, self.scalars = flat, len(scalars)
        self._description, self._kept = description, (described, pushes)
        _fluids.add(self)

    def __repr__(self):
        if not self._owner:
            return "<Fluid: closed>"
        cells = f"{self.nx} x {self.ny}" + ("" if self.flat else f" x {self.nz}")
        scalars = f"{self.scalars} scalar{'' if self.scalars == 1 else 's'}"
        return f"<Fluid: {cells} cells, h = {self.h:g} m, {scalars}, {self.time:.6g} s>"

    def close(self):
        """Ends the use of the fluid, also while another thread steps it. Its memory is given back when the last
        view of a field and the last call that is under way are gone."""
        self._owner = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce_ex__(self, protocol):  # so that it can be copied, pickled and sent to another process
        return _restore, (self._settings(), self._state())

    def _after_fork(self):
        """In the child, only the thread that forked is there: what another one was doing will never be done."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock, self._owner = threading.RLock(), None
            self._why_closed = ("another thread was using this Fluid when the process forked, so it is half done: make "
                                "a new one")
        self._waiting = set()

    def _call(self, name, *arguments):
        """Calls a function of the library. Threads take turns. Returns a line if there is something to warn of."""
        turn = object()
        self._waiting.add(turn)
        try:
            with self._lock:
                self._waiting.discard(turn)
                owner = self._owner  # so that it lives until the call is done
                if not owner:
                    raise Error(INVALID, self._why_closed)
                status = getattr(self._library, f"stable_fluids_{name}")(owner.handle, *arguments)
                if name == "time":
                    return status
                if status:
                    text = self._library.stable_fluids_error(owner.handle).decode()
                    raise Error(status, re.sub(r" at i = (\d+), j = (\d+)(, k = (\d+))?", _in_brackets, text))
                warning = self._library.stable_fluids_warning(owner.handle) if name == "step" else b""
        finally:
            self._waiting.discard(turn)
        if self._waiting:
            time.sleep(1e-4)  # or this thread would mostly have the next turn as well
        return warning.decode()

    @property
    def time(self):
        """How many seconds have passed in the fluid."""
        return self._call("time")

    def shape(self, field):
        """How many elements a field has: (along z, along y, along x), or (along y, along x) if flat."""
        shape = (c_int32 * 3)()
        self._call("shape", _field_number(field), shape)
        return (shape[1], shape[0]) if self.flat else (shape[2], shape[1], shape[0])

    def _values(self, shape, values):
        """`values` as floats in a row, and how many there are. One number stands for as many as the
        shape has elements. The first result keeps the memory alive."""
        if _is_number(values):
            count = 1
            for length in shape:
                count *= length
            memory = array.array("f", [_as_float(values)]) * count
            values = (c_float * count).from_buffer(memory)
        elif numpy is not None:
            found = _as_array(values)
            # A NumPy array has a shape of its own, which should not be another one of the same size.
            if found.ndim > 1 and found.shape != shape:
                raise Error(INVALID, f"the values' shape is {found.shape}, and must be {shape}")
            return found, found.ctypes.data_as(POINTER(c_float)), found.size
        elif not isinstance(values, ctypes.Array) or values._type_ is not c_float:
            try:
                values = list(values)
                values = (c_float * len(values))(*values)
            except TypeError as error:
                raise Error(INVALID, f"the values are no real numbers in a row: {error}") from None
        return values, values, len(values)

    def set(self, field, values):
        """Sets a field: to an array of its shape, a sequence of numbers, or one number everywhere. If the fluid is on a
        GPU, the array may be there as well, such as CuPy's or PyTorch's: floats of 32 bits, without gaps."""
        there = getattr(values, "__cuda_array_interface__", None)
        if there is not None:
            self._set_from_device(field, there)
            return
        if _is_number(values):
            self._call("fill", _field_number(field), _as_float(values))
            return
        alive, pointer, count = self._values(self.shape(field), values)
        self._call("set", _field_number(field), pointer, count)

    def _set_from_device(self, field, array):
        """Sets a field to an array on the GPU, which the CUDA Array Interface describes."""
        shape = self.shape(field)
        if tuple(array["shape"]) != shape:
            raise Error(INVALID, f"the values' shape is {tuple(array['shape'])}, and must be {shape}")
        steps, without_gaps = 4, []
        for length in reversed(shape):
            without_gaps.insert(0, steps)
            steps *= length
        strides = array.get("strides")
        if array["typestr"] != "<f4" or (strides is not None and tuple(strides) != tuple(without_gaps)):
            raise Error(INVALID, "the values on the GPU are not floats of 32 bits without gaps: copy them to such an "
                                 "array")
        self._call("set_from_device", _field_number(field), array["data"][0], math.prod(shape), array.get("stream"))

    def add(self, field, values):
        """Adds to a field, as set() sets it."""
        alive, pointer, count = self._values(self.shape(field), values)
        self._call("add", _field_number(field), pointer, count)

    def set_solid(self, distance):
        """Puts solids in: `distance` is that to their surface in metres, more than 0 in the fluid, at the
        cells' corners, one more than there are cells along each axis. None takes all solids out. Their
        velocity is set as the fields SOLID_U, SOLID_V and SOLID_W."""
        if distance is None:
            self._call("set_solid", None, 0)
            return
        corners = tuple(length + 1 for length in self.shape(FRACTION))
        alive, pointer, count = self._values(corners, distance)
        self._call("set_solid", pointer, count)

    def set_bodies(self, labels):
        """Names the bodies among the solids, for forces_on(): for each cell the number of a body from 0 on, or -1 for
        none, as an array with the shape of FRACTION, or a sequence. A cell with -1 gets the body of the nearest cell
        that has one. None takes all bodies out."""
        if labels is None:
            self._call("set_bodies", None, 0)
            return
        memory, count = self._labels(labels)
        self._call("set_bodies", ctypes.cast(memory, POINTER(c_int32)), count)

    def _labels(self, labels):
        """Labels as the library's integers in a row, and how many there are."""
        shape = self.shape(FRACTION)
        if numpy is not None:
            try:
                found = numpy.asarray(labels)
            except ValueError as error:
                raise Error(INVALID, f"the labels are no array of whole numbers: {error}") from None
            if found.dtype.kind not in "iu" or numpy.ma.is_masked(labels):
                raise Error(INVALID, "the labels are no array of whole numbers")
            if found.ndim > 1 and found.shape != shape:
                raise Error(INVALID, f"the labels' shape is {found.shape}, and must be {shape}")
            labels = found.ravel().tolist()
        try:
            found = array.array("i", [_whole("a label", label) for label in labels])
        except TypeError:
            raise Error(INVALID, f"labels is {labels!r}: it must be whole numbers in a row, one for each cell") from None
        return (c_int32 * len(found)).from_buffer(found), len(found)

    def forces_on(self, body, pivot=(0, 0, 0)):
        """The force and the torque (about the pivot, in metres from the box's corner) of the fluid on a body in the
        last step, as Forces. set_bodies() has named it before that step."""
        parts = [_real("a part of the pivot", part) for part in pivot]
        if len(parts) not in (2, 3):
            raise Error(INVALID, f"the pivot has {len(parts)} parts: it must be (x, y) or (x, y, z)")
        forces = Forces(size=ctypes.sizeof(Forces))
        self._call("forces_on", _whole("the body", body), (c_double * 3)(*[*parts, 0][:3]), byref(forces))
        return forces

    def read(self, field):
        """A copy of a field, given by its number or its name."""
        shape = self.shape(field)
        count = 1
        for length in shape:
            count *= length
        values = (c_float * count)()
        self._call("read", _field_number(field), values, count)
        return values if numpy is None else numpy.frombuffer(values, dtype=numpy.float32).reshape(shape)

    def _view(self, field):
        view = _View(size=ctypes.sizeof(_View))
        self._call("view", _field_number(field), byref(view))
        axes = (1, 0) if self.flat else (2, 1, 0)  # i, the fastest, comes last
        return view, tuple(view.shape[axis] for axis in axes), tuple(4 * view.strides[axis] for axis in axes)

    def view(self, field):
        """A field where it lies, without a copy, and not to be written to: a NumPy array, or a View
        without NumPy. After each step it shows the field as it is then, and it may be used even when the Fluid is
        closed. That is so for what is carried or given: u, v, w, forces, expansion, scalars and sources. Of all
        others, which are computed, it is a copy, as read() makes it. A field on the GPU cannot be seen from
        here: read() copies it, and device_view() hands it to programs on the GPU."""
        number = _field_number(field)
        owner = self._owner
        if PRESSURE <= number <= VORTICITY_Z or FRACTION <= number <= SOLID_W:
            values = self.read(number)
            if numpy is not None:
                values.flags.writeable = False
                return values
            shape = self.shape(number)
            strides = (4 * shape[-1] * shape[-2], 4 * shape[-1], 4)[-len(shape):]
            return View(self, ctypes.addressof(values), shape, strides, values)
        view, shape, strides = self._view(number)
        if view.on_device:
            raise Error(INVALID, "the field lies on the GPU: read() copies it, device_view() is for CuPy and "
                                 "the like, or make the fluid with backend=HOST")
        if numpy is None:
            return View(self, view.data, shape, strides, owner)
        length = 1 + sum((n - 1) * stride // 4 for n, stride in zip(shape, strides))
        memory = (c_float * length).from_address(view.data)
        memory.fluid = self, owner  # which must live as long as the view
        seen = numpy.ndarray(shape, numpy.float32, memory, 0, strides)
        seen.flags.writeable = False
        return seen

    def device_view(self, field):
        """A field where it lies on the GPU, without a copy, for what knows DLPack or the CUDA Array
        Interface: torch.from_dlpack(fluid.device_view(sf.U)) or cupy.asarray(fluid.device_view(sf.U)), for
        example. It is not to be written to. A view of what is carried or given holds as view() does, and that of a
        computed field until the next call. A field of a fluid on the host is refused: use view()."""
        owner = self._owner
        view, shape, strides = self._view(field)
        if not view.on_device:
            raise Error(INVALID, "the field lies in the computer's memory: view() or read() it, or make the "
                                 "fluid with backend=CUDA")
        return DeviceView(self, view.data, shape, strides, view.stream, owner)

    def coordinates(self, field):
        """Where the points of a field are, in metres: (x, y), or (x, y, z) in a deep fluid. As NumPy arrays, they are
        of such shapes that fluid.set("u", numpy.sin(x) * y) sets u to that at each point. Without NumPy, they are
        lists of the places along each axis."""
        shape = self.shape(field)[::-1]
        number = _field_number(field)
        on_faces = number < PRESSURE or FRACTION_X <= number <= SOLID_W
        axes = [[(i if on_faces and axis == number % 3 else i + 0.5) * self.h for i in range(count)]
                for axis, count in enumerate(shape)]
        if numpy is None:
            return tuple(axes)
        return tuple(numpy.array(places).reshape((-1,) + (1,) * axis) for axis, places in enumerate(axes))

    def sample(self, field, points):
        """The values of a field at any places, by linear interpolation between its points; beyond the outermost ones,
        the value there. `points` is an array of places (x, y), or (x, y, z), in metres, or a single place. It needs
        NumPy."""
        if numpy is None:
            raise Error(INVALID, "sample() needs NumPy: install it, or read() the field")
        values, places = self.read(field), _as_array(points).astype(float)
        if places.ndim < 1 or places.shape[-1] != values.ndim or not numpy.isfinite(places).all():
            raise Error(INVALID, f"the points' shape is {places.shape}: the last length must be {values.ndim}, for "
                                 f"({', '.join('xyz'[:values.ndim])}), and all must be finite")
        low, share = [], []
        for axis, along in enumerate(self.coordinates(field)):
            count = along.size
            place = (places[..., axis] - along.flat[0]) / self.h
            if self._description.faces[2 * axis].flow == PERIODIC:
                cells = (self.nx, self.ny, self.nz)[axis]
                place = place % cells
                values = numpy.concatenate([values, values.take([0], axis=-1 - axis)], axis=-1 - axis)
                count += 1
            place = place.clip(0, count - 1)
            low.append(numpy.minimum(place.astype(int), max(count - 2, 0)))
            share.append(place - low[-1])
        found = 0
        for corner in range(2 ** values.ndim):
            high = [corner >> axis & 1 for axis in range(values.ndim)]
            weight = math.prod(s if up else 1 - s for s, up in zip(share, high))
            where = [numpy.minimum(n + up, length - 1) for n, up, length in zip(low, high, values.shape[::-1])]
            found = found + weight * values[tuple(where[::-1])]
        return found if places.ndim > 1 else float(found)

    def save(self, path):
        """Writes all that the fluid is to a file, for Fluid.load() to go on with: its description and its state. The
        file appears whole or not at all."""
        _write_whole(path, [_FILE, self._settings().encode() + b"\n", self._state()])

    @staticmethod
    def load(path, *, backend=None, threads=None, library=None):
        """A fluid as save() has written it, which goes on to the same bits, on the host whatever the number of threads.
        `backend` and `threads` are those that were given to the other fluid, unless told otherwise."""
        with open(path, "rb") as file:
            begin, settings, state = file.read(len(_FILE)), file.readline(), file.read()
        if begin != _FILE or not settings.endswith(b"\n"):
            raise Error(INVALID, f"{os.fspath(path)!r} is no file that Fluid.save() has written")
        return _restore(settings.decode(), state, backend=backend, threads=threads, library=library)

    def _settings(self):
        """The description, as a line of JSON."""
        d, (scalars, pushes) = self._description, self._kept
        names = ("nx", "ny", "nz", "h", "viscosity", "advection", "tolerance", "cycles", "backend", "threads",
                 "confinement", "splitting")
        faces = {name: [getattr(d.faces[number], part) for part, _ in Face._fields_]
                 for name, number in FACES.items() if number < FRONT or not self.flat}
        return json.dumps({
            **{name: getattr(d, name) for name in names}, "faces": faces,
            "buoyancy_direction": list(d.buoyancy_direction),
            "scalars": [{"diffusion": one.diffusion, "dissipation": one.dissipation, "initial": one.initial,
                         "conserve": bool(one.conserve), "buoyancy": push.share, "ambient": push.ambient,
                         "solid": [one.solid.flow, one.solid.value],
                         "faces": {name: [one.faces[FACES[name]].flow, one.faces[FACES[name]].value] for name in faces}}
                        for one, push in zip(scalars, pushes)]})

    def _state(self):
        """What the library says of the state, as bytes."""
        with self._lock:  # no other thread may change it in between
            size = c_size_t()
            self._call("state_size", byref(size))
            state = ctypes.create_string_buffer(size.value)
            self._call("get_state", state, size.value)
        return state.raw

    def save_vti(self, path, fields=None):
        """Writes fields to a .vti file, which ParaView opens: those of a list such as [U, "scalar_0"], or
        velocity, pressure, divergence, vorticity and all scalars. U stands for the whole velocity."""
        self._save("save_vti", path, fields)

    def save_vdb(self, path, fields=None):
        """Writes the same to an OpenVDB file, which Blender reads. A library that was built without
        OpenVDB, such as a wheel's, refuses it."""
        self._save("save_vdb", path, fields)

    def _save(self, name, path, fields):
        encoded = os.fsencode(path)
        if b"\0" in encoded:
            raise Error(INVALID, f"the path {path!r} has a NUL in it, where a C program would end it: take it out")
        if isinstance(fields, (str, int)):
            raise Error(INVALID, f"fields is {fields!r}: it must be a list, such as [{fields!r}]")
        chosen = None if fields is None else [_field_number(field) for field in fields]
        numbers_of = None if chosen is None else (c_int32 * len(chosen))(*chosen)
        self._call(name, encoded, numbers_of, 0 if chosen is None else len(chosen))

    def save_png(self, path, field=None):
        """Writes a picture of a field, 480 points wide or high or more. That is the first scalar, or without one the
        speed, unless told otherwise, and of a deep fluid the layer in the middle. The largest value is white and the
        smallest black, or, where there are values of both signs, red is more than 0 and blue less."""
        rows = self._layer(field)
        highest, lowest = max(map(max, rows)), min(map(min, rows))
        if lowest < 0 < highest:
            colours, lowest = _RED_AND_BLUE, min(lowest, -highest)
            highest = -lowest
        else:
            colours = _HEAT
        per = (len(colours) - 1) / (highest - lowest) if highest > lowest else 0
        times = max(1, math.ceil(480 / max(len(rows), len(rows[0]))))
        points = b"".join(times * (b"\0" + b"".join(times * colours[int((value - lowest) * per)] for value in row))
                          for row in rows)
        png = b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in [
                (b"IHDR", struct.pack(">IIBBBBB", times * len(rows[0]), times * len(rows), 8, 2, 0, 0, 0)),
                (b"IDAT", zlib.compress(points)), (b"IEND", b"")])
        _write_whole(path, [png])

    def show(self, field=None):
        """Shows a picture of a field in a window or a notebook, with Matplotlib. `field` is as for save_png()."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("show() needs Matplotlib: install it, or use save_png(), which needs nothing") from None
        rows = self._layer(field)
        size = [0, self.nx * self.h, self.ny * self.h, 0]
        highest, lowest = max(map(max, rows)), min(map(min, rows))
        both = max(highest, -lowest) if lowest < 0 < highest else None
        colours = {"cmap": "inferno"} if both is None else {"cmap": "RdBu_r", "vmin": -both, "vmax": both}
        figure, axes = pyplot.subplots()
        figure.colorbar(axes.imshow(rows, extent=size, **colours), label=self._usual(field))
        axes.set(xlabel="x (m)", ylabel="y (m)", title=f"{self.time:.6g} s")
        pyplot.show()

    def _usual(self, field):
        """The name of the field that is shown."""
        if field is None:
            return "scalar_0" if self.scalars else "speed"
        number = _field_number(field)
        names = {value: name for name, value in FIELDS.items()}
        return names.get(number) or f"{'scalar' if number < 200 else 'source'}_{number % 100}"

    def _layer(self, field):
        """The rows of a field, in the middle along z."""
        name = self._usual(field)
        values, shape = self.read(name), self.shape(name)
        width, height = shape[-1], shape[-2]
        flat = values.ravel().tolist() if numpy is not None else list(values)
        first = (shape[0] // 2) * width * height if not self.flat else 0
        return [flat[first + j * width:first + (j + 1) * width] for j in range(height)]

    def step(self, dt, count=1, *, progress=False):
        """Lets `count` times `dt` seconds pass. Ctrl-C ends it between two steps. Warns (Unsolved) where `cycles`
        did not do for the tolerance. With `progress`, a line on the standard error says how far it is."""
        dt, left = _real("dt", dt), _whole("count", count, 0)
        bar = _Progress(left) if progress and left else None
        at_once, warning = 1, ""
        try:
            while True:
                now = min(at_once, left)
                begin = time.perf_counter()
                warning = self._call("step", dt, now) or warning
                left -= now
                if bar:
                    bar.show(bar.all - left)
                if left == 0:
                    break
                # So many that they take a twentieth of a second: Python looks for Ctrl-C in between.
                took = max(time.perf_counter() - begin, 1e-6)
                at_once = max(1, min(4 * now, int(0.05 * now / took)))
        finally:
            if bar:
                bar.end()
        if warning:
            warnings.warn(warning, Unsolved, stacklevel=2)

    def run(self, until, *, cfl=1, longest=1 / 60, every=None, callback=None, progress=False):
        """Lets time pass until the fluid's `time` is `until` seconds. Each step is so long that the fastest fluid
        crosses `cfl` cells in it, but at most `longest` seconds. `callback(fluid)` is called after each step, or after
        each `every` seconds, at which a step then ends. With `progress`, a line says how far it is. Returns how many
        steps it took."""
        until, cfl, longest = _real("until", until), _real("cfl", cfl), _real("longest", longest)
        begin = now = self.time
        if not math.isfinite(until):
            raise Error(INVALID, f"until is {until:g}: it must be finite")
        after_each_step = every is None
        every = max(until - begin, 1.0) if after_each_step else _real("every", every)
        for name, value in {"cfl": cfl, "longest": longest, "every": every}.items():
            if not 0 < value < math.inf:
                raise Error(INVALID, f"{name} is {value:g}: it must be more than 0, and finite")
        bar = _Progress(until - begin) if progress and until > begin else None
        steps = stops = 0
        warning = ""
        try:
            while until - now > 1e-6 * longest:
                stop = min(until, begin + (stops + 1) * every)
                speed = self.statistics().largest_speed
                dt = min(longest, cfl * self.h / speed) if speed > 0 else longest
                dt = (stop - now) / max(1, math.ceil((stop - now) / dt - 1e-6))
                warning = self._call("step", dt, 1) or warning
                steps, now = steps + 1, self.time
                at_stop = stop - now <= 1e-6 * longest
                stops += at_stop
                if callback and (at_stop or after_each_step):
                    callback(self)
                if bar:
                    bar.show(now - begin)
        finally:
            if bar:
                bar.end()
        if warning:
            warnings.warn(warning, Unsolved, stacklevel=2)
        return steps

    def wait(self):
        """Waits until all steps are done."""
        self._call("wait")

    def statistics(self):
        """What can be said of the fluid in numbers."""
        statistics = Statistics(size=ctypes.sizeof(Statistics))
        self._call("statistics_of", byref(statistics))
        return statistics


_FILE = b"a fluid of stable_fluids, 1\n"  # with which a file of Fluid.save() begins


def _restore(settings, state, *, backend=None, threads=None, library=None):
    """The fluid with such a description and such a state."""
    chosen = {name: value for name, value in {"backend": backend, "threads": threads}.items() if value is not None}
    try:
        given = {**json.loads(settings), **chosen}
        given["faces"] = {name: Face(*face) for name, face in given["faces"].items()}
        given["scalars"] = [
            Scalar(**{**one, "faces": {name: ScalarFace(*face) for name, face in one["faces"].items()},
                      "solid": ScalarFace(*one["solid"])}) for one in given["scalars"]]
        fluid = Fluid(**given, library=library)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Error(INVALID, f"the fluid's description is damaged: {error}") from None
    fluid._call("set_state", state, len(state))
    return fluid


def _write_whole(path, parts):
    """Writes a file that appears whole or not at all."""
    path = os.fspath(path)
    part = f"{os.fsdecode(path)}-{os.urandom(4).hex()}"
    try:
        with open(part, "xb") as file:
            file.writelines(parts)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise


def _between(colours):
    """256 colours, from one of a few to the next."""
    found = []
    for n in range(256):
        at = n / 255 * (len(colours) - 1)
        low = min(int(at), len(colours) - 2)
        found.append(bytes(round(a + (b - a) * (at - low)) for a, b in zip(colours[low], colours[low + 1])))
    return found


_HEAT = _between([(0, 0, 8), (70, 10, 90), (190, 50, 60), (250, 150, 30), (255, 255, 240)])
_RED_AND_BLUE = _between([(20, 50, 140), (120, 170, 220), (250, 250, 250), (230, 140, 100), (140, 20, 30)])


class _Progress:
    """A line on the standard error that says how far something is."""

    def __init__(self, all_there_is):
        self.all, self.begin, self.shown = all_there_is, time.perf_counter(), 0.0

    def show(self, done):
        now = time.perf_counter()
        if now - self.shown < 0.1 and done < self.all:
            return
        self.shown = now
        share = min(1.0, done / self.all)
        left = (now - self.begin) * (1 - share) / share if share > 0 else 0
        bar = "#" * int(30 * share)
        sys.stderr.write(f"\r[{bar:<30}] {100 * share:3.0f} %, {left:.0f} s left   ")
        sys.stderr.flush()

    def end(self):
        sys.stderr.write("\n")
        sys.stderr.flush()


def _in_brackets(place):
    """The place of an element as one writes it in Python: the last index is i."""
    i, j, _, k = place.groups()
    return f"[{j}, {i}]" if k is None else f"[{k}, {j}, {i}]"


def _as_float(value):
    """A number as a float of the library; infinite if it is too large for one, which is refused then."""
    return c_float(float(value)).value


def _as_array(values):
    """Values as an array of floats in a row."""
    if numpy.ma.is_masked(values):
        raise Error(INVALID, "some of the values are masked: say what they are, as by values.filled(0)")
    try:
        found = numpy.asarray(values)
        if found.dtype.kind == "O" and all(isinstance(value, numbers.Real) for value in found.flat):
            found = found.astype(float)  # such as fractions
    except (TypeError, ValueError) as error:
        raise Error(INVALID, f"the values are no array of real numbers: {error}") from None
    if found.dtype.kind not in "buif":
        raise Error(INVALID, f"the values are of type {found.dtype}: they must be real numbers")
    with numpy.errstate(over="ignore"):  # what becomes infinite is refused
        return numpy.ascontiguousarray(found, dtype=numpy.float32)


__all__ = [name for name, thing in list(globals().items())
           if not name.startswith("_") and (isinstance(thing, int) or getattr(thing, "__module__", "") == __name__)]
__all__ += ["FACES", "FIELDS"]


def __dir__():
    return sorted([*__all__, "__version__", "__doc__"])
