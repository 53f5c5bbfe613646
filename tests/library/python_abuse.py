"""What must not bring Python down: whatever a program does with a Fluid, it goes well or ends in one clear
exception. Each case is a program of its own, so that one that crashes or hangs is seen.

usage: python_abuse.py LIBRARY
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN = """
import copy, ctypes, gc, os, pickle, signal, sys, threading, time
import stable_fluids as sf

def refused(words, do, kind=sf.Error):
    try:
        do()
    except kind as error:
        assert words in str(error) and "\\n" not in str(error), error
    else:
        raise AssertionError("not refused: " + words)

def listed(values):
    return [float(value) for row in values for value in (row if sf.numpy else [row])]
"""

CASES = {}
CTRL_C = "Ctrl-C ends a long step"

CASES["a view of a closed fluid"] = """
if not sf.numpy:
    sys.exit()
views = []
for number in range(30):
    fluid = sf.Fluid(300, 300, backend=sf.HOST, scalars=[sf.Scalar(initial=2)])
    fluid.set(sf.U, 1.5)
    view, dye, divergence = fluid.view(sf.U), fluid.view("scalar_0"), fluid.view(sf.DIVERGENCE)
    part = view[10:20]
    solids = fluid.view("fraction")
    fluid.set_solid(None)
    fluid.close()
    refused("closed", lambda: fluid.view(sf.U))
    views.append((part, dye, divergence, solids))
    del fluid, view
    gc.collect()
for part, dye, divergence, solids in views:
    assert (part[:, 1:-1] == 1.5).all() and (dye == 2).all() and (solids == 1).all(), part
    assert abs(divergence).max() > 0
"""

CASES["memory is given back with the last view"] = """
def memory():
    return int(open("/proc/self/statm").read().split()[1]) if os.path.exists("/proc/self/statm") else 0
view, before = None, 0
for number in range(40):
    fluid = sf.Fluid(512, 512, backend=sf.HOST, threads=1)
    view = fluid.view(sf.U)
    fluid.close()
    if number == 5:
        before = memory()
assert memory() < before + 10 * 2000, (before, memory())  # pages; a fluid has 2000
"""

CASES["a view shows its field after each step"] = """
if not sf.numpy:
    sys.exit()
for advection in (sf.LINEAR, sf.MACCORMACK):
    with sf.Fluid(24, 20, backend=sf.HOST, advection=advection, scalars=[sf.Scalar(initial=2), sf.Scalar()]) as fluid:
        fluid.set(sf.FORCE_X, [[(i * j) % 5 for i in range(25)] for j in range(20)])
        fluid.set("source_1", 1)
        fields = ["u", "v", "scalar_0", "scalar_1", "source_1", "force_x", "expansion"]
        views = {field: fluid.view(field) for field in fields}
        pressure = fluid.view("pressure")
        for count in (1, 2, 1, 1, 3):
            fluid.step(0.01, count)
            for field in fields:
                assert (views[field] == fluid.read(field)).all(), (field, count)
        assert (pressure == 0).all() and not pressure.flags.writeable
        assert abs(views["u"]).max() > 0.1
"""

CASES["copies and two closes"] = """
fluid = sf.Fluid(8, 8, backend=sf.HOST)
fluid.set(sf.U, 0.5)
copies = [copy.copy(fluid), copy.deepcopy(fluid), pickle.loads(pickle.dumps(fluid))]
fluid.step(0.1)
for each in copies:
    assert each.time == 0 and fluid.time > 0
    each.step(0.1)
    assert listed(each.read(sf.U)) == listed(fluid.read(sf.U))
fluid.close()
fluid.close()
copies[0].step(0.1)
refused("closed", lambda: fluid.step(0.1))
for do in (copy.copy, pickle.dumps, lambda each: each.time, lambda each: each.save("closed.fluid")):
    refused("closed", lambda: do(fluid))
assert not os.path.exists("closed.fluid")
assert repr(fluid) == "<Fluid: closed>"
failed = sf.Fluid.__new__(sf.Fluid)
failed.close()
del failed
"""

CASES["bodies of closed fluids, and of copies"] = """
fluid = sf.Fluid(8, 8, backend=sf.HOST, viscosity=0.1)
fluid.set_solid([abs(i - 4) + abs(j - 4) - 2.5 for j in range(9) for i in range(9)])
fluid.set_bodies([0] * 64)
fluid.set(sf.U, 1)
fluid.step(0.1)
forces = fluid.forces_on(0)
copied = pickle.loads(pickle.dumps(fluid))
refused("there is no body 0", lambda: copied.forces_on(0))  # no state has them
for labels in ([10**30] * 64, [-10**30] * 64, [2**31] * 64, [None] * 64, 5, "0" * 64, [[0] * 8] * 8 + [[]]):
    refused("", lambda: fluid.set_bodies(labels))
for body in (-1, 1, 2**31, 2**40, None, "0"):
    refused("", lambda: fluid.forces_on(body))
assert fluid.forces_on(0).force == forces.force
fluid.close()
for do in (lambda: fluid.forces_on(0), lambda: fluid.set_bodies([0] * 64), lambda: fluid.set_bodies(None)):
    refused("closed", do)
assert forces.force[0] != 0
"""

CASES["closed while another thread steps"] = """
for dt, count in [(1e-3, 10**9), (1e-3, 3)]:
    fluid = sf.Fluid(200, 200, backend=sf.HOST, threads=2)
    ended = []
    def go():
        try:
            while True:
                fluid.step(dt, count)
        except sf.Error as error:
            ended.append(str(error))
    thread = threading.Thread(target=go)
    thread.start()
    time.sleep(0.3)
    fluid.close()
    thread.join(20)
    assert not thread.is_alive() and "closed" in ended[0], ended
"""

CASES["used by many threads at once"] = """
import warnings
warnings.simplefilter("error")
fluid = sf.Fluid(64, 64, backend=sf.HOST, threads=2, scalars=[sf.Scalar(initial=1)])
alone = sf.Fluid(64, 64, backend=sf.HOST, threads=1, scalars=[sf.Scalar(initial=1)])
force = [float((i * 7 + 3) % 11 - 5) for i in range(65 * 64)]
for each in (fluid, alone):
    each.set(sf.FORCE_X, force)
wrong, reads, over = [], [0, 0], threading.Event()
def read(number):
    try:
        while not over.is_set():
            assert all(-100 < value < 100 for value in listed(fluid.read(sf.U))[:200])
            fluid.read(sf.DIVERGENCE)
            fluid.statistics()
            reads[number] += 1
    except BaseException as error:
        wrong.append(error)
def step():
    try:
        while not wrong and min(reads) <= 5:  # for ever, if the others do not get their turn
            fluid.step(1e-3, 3)
    except BaseException as error:
        wrong.append(error)
readers = [threading.Thread(target=read, args=(n,)) for n in range(2)]
steppers = [threading.Thread(target=step) for n in range(2)]
for thread in readers + steppers:
    thread.start()
for thread in steppers:
    thread.join()
over.set()
for thread in readers:
    thread.join()
assert not wrong, wrong
alone.step(1e-3, fluid.statistics().steps)
assert listed(fluid.read(sf.U)) == listed(alone.read(sf.U))
"""

CASES["read during a long step"] = """
fluid = sf.Fluid(64, 64, backend=sf.HOST)
ended = []
def go():
    try:
        fluid.step(1e-3, 10**9)
    except sf.Error as error:
        ended.append(str(error))
thread = threading.Thread(target=go, daemon=True)
thread.start()
seen = set()
while len(seen) < 5:  # for ever, if reading has to wait for all steps
    assert len(fluid.read(sf.U)) > 0
    seen.add(fluid.statistics().steps)
assert max(seen) < 10**9, seen
fluid.close()
thread.join()
assert "closed" in ended[0], ended
"""

CASES["a fork after steps in threads"] = """
if not hasattr(os, "fork"):
    sys.exit()
fluid = sf.Fluid(256, 256, backend=sf.HOST, threads=2)
other = sf.Fluid(256, 256, backend=sf.HOST, threads=2)
fluid.set(sf.FORCE_X, [float(n % 13) for n in range(257 * 256)])
fluid.step(1e-3, 2)
child = os.fork()
if child == 0:
    fluid.step(1e-3, 2)
    grandchild = os.fork()
    if grandchild == 0:
        fluid.step(1e-3, 2)
        fluid.close()
        del fluid, other  # one that was not used since
        gc.collect()
        os._exit(7)
    status = os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) if sys.version_info >= (3, 9) else 7
    assert status == 7, status
    fluid.step(1e-3, 2)
    sys.stdout.write(str(sum(listed(fluid.read(sf.U)))))
    sys.stdout.flush()
    os._exit(5)
assert os.waitpid(child, 0)[1] >> 8 == 5
fluid.step(1e-3, 4)
sys.stdout.write(" " + str(sum(listed(fluid.read(sf.U)))))
"""

CASES["a fork while another thread steps"] = """
if not hasattr(os, "fork"):
    sys.exit()
fluid, free = (sf.Fluid(300, 300, backend=sf.HOST, threads=2) for _ in range(2))
free.step(1e-3)
thread = threading.Thread(target=lambda: fluid.step(1e-3, 200), daemon=True)
thread.start()
time.sleep(0.1)
for attempt in range(10):  # in one of them, it is in the middle of a call
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        free.step(1e-3)
        try:
            fluid.step(1e-3)
        except sf.Error as error:
            assert "when the process forked" in str(error), error
        sf.Fluid(300, 300, threads=2).step(1e-3)
        os._exit(3)
    status = os.waitpid(child, 0)[1]
    assert status >> 8 == 3, status
thread.join()
"""

CASES[CTRL_C] = """
fluid = sf.Fluid(64, 64, backend=sf.HOST, threads=1)
try:
    print("ready", flush=True)
    fluid.step(1e-3, 10**8)  # for hours
except KeyboardInterrupt:
    steps = fluid.statistics().steps  # and it goes on
    fluid.step(1e-3)
    assert fluid.statistics().steps == steps + 1, steps
    print("ended")
"""

CASES["more threads than cores"] = """
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
def threads_here():
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
def computed(threads):
    before = threads_here()
    fluid = sf.Fluid(160, 160, backend=sf.HOST, threads=threads)
    fluid.set(sf.FORCE_X, [float(n % 7) for n in range(161 * 160)])
    fluid.step(1e-3, 5)
    return threads_here() - before, listed(fluid.read(sf.U))
few, many = computed(cores), computed(100)
assert many[1] == few[1]
assert many[0] <= cores, many[0]  # 100 threads on 2 cores would take a thousand times as long
refused("from 0 to 1024", lambda: sf.Fluid(4, 4, backend=sf.HOST, threads=1025))
refused("from 0 to 1024", lambda: sf.Fluid(4, 4, backend=sf.HOST, threads=-1))
"""


# Python 3.12 and newer warn of each fork of a process with threads, which is what is tried here.
QUIET = ["-W", "ignore:This process:DeprecationWarning"]


def run(name, program, without_numpy):
    begin = BEGIN if not without_numpy else "import sys\nsys.modules['numpy'] = None\n" + BEGIN
    process = subprocess.Popen([sys.executable, *QUIET, "-c", begin + program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
    try:
        if name == CTRL_C:
            process.stdout.readline()
            time.sleep(1)
            process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):  # with its children, which may hang, too
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        out, error = process.communicate()
        return f"it hangs\n{out}{error}"
    if process.returncode != 0 or error:
        return f"it returns {process.returncode}\n{out}{error}"
    if name == CTRL_C and "ended" not in out:
        return f"Ctrl-C was not heard\n{out}"
    if name == "a fork after steps in threads" and out and len(set(out.split())) != 1:
        return f"parent and child do not compute the same: {out}"
    return ""


os.environ["STABLE_FLUIDS_LIBRARY"] = sys.argv[1]
os.environ["PYTHONPATH"] = str(ROOT / "library" / "python")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
problems = 0
for name, program in CASES.items():
    if sys.platform == "win32" and name == CTRL_C:
        continue
    for without_numpy in (False, True):
        what = run(name, program, without_numpy)
        if what:
            problems += 1
            print(f"FAILED{' without NumPy' if without_numpy else ''}: {name}: {what}")
print(f"{len(CASES)} cases: {problems} problems")
sys.exit(1 if problems else 0)
