"""The field that every solver begins with, and how each is timed."""

import statistics
import time

import numpy as np

CFL = 2.5  # cells that the fastest component crosses in a step
MODES = 6  # whole waves across the box, at most


def waves(coordinates, seed):
    """Smooth random numbers at the places of a grid: sums of products of waves, one factor along each axis.
    `coordinates` holds (places from 0 to 1, function) for each axis; sines vanish at the box's sides."""
    random = np.random.default_rng(seed)
    shape = [len(places) for places, _ in coordinates]
    total = np.zeros(shape)
    for _ in range(24):
        numbers = random.integers(1, MODES + 1, len(coordinates))
        product = np.array(random.normal() / np.linalg.norm(numbers))
        for axis, ((places, function), number) in enumerate(zip(coordinates, numbers)):
            factor = function(2 * np.pi * number * places)
            product = product[..., np.newaxis] * factor
        total += product
    return total


def velocity(n, dimensions):
    """u, v (and w) on the faces of n cells along each axis, in cells that they cross in a step. Axis 0 is x.
    Nothing flows through the sides, the box may as well be periodic, and the divergence is 0 to rounding:
    it is the curl of a random potential."""
    corners, centres = np.linspace(0, 1, n + 1), (np.arange(n) + 0.5) / n
    if dimensions == 2:
        potential = waves([(corners, np.sin), (corners, np.sin)], 1)
        found = [np.diff(potential, axis=1), -np.diff(potential, axis=0)]
    else:
        potential = [waves([(centres, np.cos) if axis == along else (corners, np.sin) for axis in range(3)], along)
                     for along in range(3)]
        x, y, z = potential
        found = [np.diff(z, axis=1) - np.diff(y, axis=2), np.diff(x, axis=2) - np.diff(z, axis=0),
                 np.diff(y, axis=0) - np.diff(x, axis=1)]
    largest = max(np.abs(component).max() for component in found)
    return [(component * (CFL / largest)).astype(np.float32) for component in found]


def scalar(n, dimensions):
    """The carried scalar, at the cell centres."""
    centres = (np.arange(n) + 0.5) / n
    return waves([(centres, np.cos)] * dimensions, 7).astype(np.float32)


def at_centres(components):
    """The velocity at the cell centres, for solvers that keep it there: an array with a last axis of components."""
    found = []
    for axis, component in enumerate(components):
        lower, upper = (np.take(component, range(a, component.shape[axis] - 1 + a), axis) for a in (0, 1))
        found.append(0.5 * (lower + upper))
    return np.stack(found, axis=-1)


def root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(np.asarray(values, dtype=np.float64)))))


def seconds_of(step, least=3, most_seconds=20.0):
    """The median time of a step, in seconds. The first two steps, which may compile, do not count. `step`
    must return when its work is done."""
    step()
    step()
    times, begin = [], time.perf_counter()
    while len(times) < least or (len(times) < 40 and time.perf_counter() - begin < most_seconds):
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    return statistics.median(times)
