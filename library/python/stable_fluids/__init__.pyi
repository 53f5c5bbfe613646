"""The types of the module, for mypy, pyright and editors. Where NumPy is not installed, read() returns a
ctypes array of floats and view() a View instead of a NumPy array, which these types do not say."""

import ctypes
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from numpy import float32, float64
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__version__: str
numpy: ModuleType | None
FACES: dict[str, int]
FIELDS: dict[str, int]

OK: int
INVALID: int
OUT_OF_MEMORY: int
NO_DEVICE: int
DEVICE_ERROR: int
NOT_FINITE: int
INTERNAL: int
FILE_ERROR: int
LEFT: int
RIGHT: int
TOP: int
BOTTOM: int
FRONT: int
BACK: int
NO_SLIP: int
FREE_SLIP: int
INFLOW: int
OUTFLOW: int
PERIODIC: int
TOTAL_PRESSURE: int
ZERO_FLUX: int
FIXED_VALUE: int
SCALAR_PERIODIC: int
FIXED_FLUX: int
LINEAR: int
MACCORMACK: int
CENTRAL: int
LIE: int
STRANG: int
MIDPOINT: int
BEST: int
HOST: int
CUDA: int
U: int
V: int
W: int
FORCE_X: int
FORCE_Y: int
FORCE_Z: int
PRESSURE: int
DIVERGENCE: int
SPEED: int
VORTICITY: int
VORTICITY_X: int
VORTICITY_Y: int
VORTICITY_Z: int
EXPANSION: int
FRACTION: int
FRACTION_X: int
FRACTION_Y: int
FRACTION_Z: int
SOLID_U: int
SOLID_V: int
SOLID_W: int

def scalar(n: int) -> int: ...
def source(n: int) -> int: ...

class Face(ctypes.Structure):
    flow: int
    u: float
    v: float
    w: float
    pressure: float

def no_slip(u: float = 0, v: float = 0, w: float = 0) -> Face: ...
def free_slip() -> Face: ...
def inflow(u: float = 0, v: float = 0, w: float = 0) -> Face: ...
def outflow(pressure: float = 0) -> Face: ...
def total_pressure(pressure: float = 0) -> Face: ...
def periodic() -> Face: ...

class ScalarFace(ctypes.Structure):
    flow: int
    value: float

def zero_flux() -> ScalarFace: ...
def fixed_value(value: float) -> ScalarFace: ...
def fixed_flux(value: float) -> ScalarFace: ...

class Scalar:
    diffusion: float
    dissipation: float
    initial: float
    conserve: bool
    faces: dict[int | str, ScalarFace]
    buoyancy: float
    ambient: float
    solid: ScalarFace
    def __init__(
        self,
        diffusion: float = 0,
        dissipation: float = 0,
        initial: float = 0,
        conserve: bool = False,
        faces: Mapping[int | str, ScalarFace] | None = None,
        buoyancy: float = 0,
        ambient: float = 0,
        solid: ScalarFace | None = None,
    ) -> None: ...

class Statistics(ctypes.Structure):
    size: int
    backend: int
    steps: int
    time: float
    kinetic_energy: float
    largest_divergence: float
    largest_speed: float
    cfl: float
    pressure_residual: float
    pressure_cycles: int
    viscosity_sweeps: int
    viscosity_residual: float
    bytes: int
    solid_force: ctypes.Array[ctypes.c_double]
    closed_regions: int
    closed_divergence: float
    corrected: float
    unsolved_steps: int

class Forces(ctypes.Structure):
    size: int
    pressure: ctypes.Array[ctypes.c_double]
    friction: ctypes.Array[ctypes.c_double]
    pressure_torque: ctypes.Array[ctypes.c_double]
    friction_torque: ctypes.Array[ctypes.c_double]
    @property
    def force(self) -> tuple[float, float, float]: ...
    @property
    def torque(self) -> tuple[float, float, float]: ...

class Error(Exception):
    status: int
    def __init__(self, status: int, text: str) -> None: ...

class Unsolved(RuntimeWarning): ...

def load(path: str | os.PathLike[str] | None = None) -> ctypes.CDLL: ...
def why_no_cuda() -> str: ...

class View:
    fluid: Fluid
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    def __init__(
        self,
        fluid: Fluid,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        owner: object = None,
    ) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class DeviceView(View):
    __cuda_array_interface__: dict[str, Any]
    def __init__(
        self,
        fluid: Fluid,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        stream: int | None,
        owner: object = None,
    ) -> None: ...

class Fluid:
    nx: int
    ny: int
    nz: int
    h: float
    flat: bool
    scalars: int
    def __init__(
        self,
        nx: int,
        ny: int,
        nz: int = 1,
        *,
        h: float | None = None,
        viscosity: float | None = None,
        advection: int | None = None,
        tolerance: float | None = None,
        cycles: int | None = None,
        backend: int | None = None,
        threads: int | None = None,
        faces: Mapping[int | str, Face] | None = None,
        scalars: Sequence[Scalar] = (),
        confinement: float | None = None,
        buoyancy_direction: Sequence[float] | None = None,
        splitting: int | None = None,
        library: str | os.PathLike[str] | None = None,
    ) -> None: ...
    @property
    def time(self) -> float: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def shape(self, field: int | str) -> tuple[int, ...]: ...
    def set(self, field: int | str, values: float | ArrayLike | Iterable[float]) -> None: ...
    def add(self, field: int | str, values: float | ArrayLike | Iterable[float]) -> None: ...
    def set_solid(self, distance: float | ArrayLike | Iterable[float] | None) -> None: ...
    def set_bodies(self, labels: ArrayLike | Iterable[int] | None) -> None: ...
    def forces_on(self, body: int, pivot: Iterable[float] = (0, 0, 0)) -> Forces: ...
    def read(self, field: int | str) -> NDArray[float32]: ...
    def view(self, field: int | str) -> NDArray[float32]: ...
    def device_view(self, field: int | str) -> DeviceView: ...
    def save_vti(self, path: str | os.PathLike[str], fields: Sequence[int | str] | None = None) -> None: ...
    def save_vdb(self, path: str | os.PathLike[str], fields: Sequence[int | str] | None = None) -> None: ...
    def save_png(self, path: str | os.PathLike[str], field: int | str | None = None) -> None: ...
    def show(self, field: int | str | None = None) -> None: ...
    def coordinates(self, field: int | str) -> tuple[NDArray[float64], ...]: ...
    def sample(self, field: int | str, points: ArrayLike) -> Any: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def load(
        path: str | os.PathLike[str],
        *,
        backend: int | None = None,
        threads: int | None = None,
        library: str | os.PathLike[str] | None = None,
    ) -> Fluid: ...
    def step(self, dt: float, count: int = 1, *, progress: bool = False) -> None: ...
    def run(
        self,
        until: float,
        *,
        cfl: float = 1,
        longest: float = 1 / 60,
        every: float | None = None,
        callback: Callable[[Fluid], object] | None = None,
        progress: bool = False,
    ) -> int: ...
    def wait(self) -> None: ...
    def statistics(self) -> Statistics: ...
