#!/bin/sh
# Everything that needs an NVIDIA GPU, for whoever has one: the tests of the device code, once as they
# are and once under each tool of compute-sanitizer, the library's example, and the benchmarks. It stops
# at the first failure. Their figures are left in build-cuda/gpu/.
#
# usage: tests/on_a_gpu.sh
set -eu
cd "$(dirname "$0")/.."

cmake --preset cuda
cmake --build --preset cuda -j "$(nproc)" --target test_23_cuda_device test_stable_fluids_device \
    stable_fluids_channel test_stable_fluids_emulated
bin=build-cuda/bin
figures=build-cuda/gpu
mkdir -p "$figures"

# Without a GPU these say why, and end this with 77.
"$bin/test_23_cuda_device"
"$bin/test_stable_fluids_device"

# It takes the GPU where there is one.
"$bin/stable_fluids_channel" "$figures/channel.pgm" >"$figures/channel.txt"
cat "$figures/channel.txt"
grep -q ', on the GPU$' "$figures/channel.txt" || {
    echo "on_a_gpu: the library's example has not run on the GPU" >&2
    exit 1
}

# The launches of a V-cycle, to hold the benchmarks' times against. The host's code decides how many there
# are, so the emulated GPU counts them as well as a real one.
"$bin/test_stable_fluids_emulated" "[launches]" >"$figures/launches.txt"
cat "$figures/launches.txt"

PATH=$PATH:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || {
    echo "on_a_gpu: compute-sanitizer is not installed; it is part of the CUDA toolkit" >&2
    exit 1
}
for tool in memcheck racecheck initcheck synccheck; do
    echo "==== compute-sanitizer: $tool ===="
    for tests in test_23_cuda_device test_stable_fluids_device; do
        compute-sanitizer --tool "$tool" --error-exitcode 1 "$bin/$tests" "[gpu]~[large]"
    done
done

# Each step of 23_cuda: its time, the bytes a cell, and its share of the bandwidth.
cmake --build --preset cuda -j "$(nproc)" --target 23_cuda
"$bin/23_cuda" --headless --n 256 --scene jets --steps 1 --timings "$figures/timings.csv"
cat "$figures/timings.csv"

if grep -q '^benchmark_DIR:.*NOTFOUND' build-cuda/CMakeCache.txt; then
    echo "on_a_gpu: all tests passed; there are no figures, since Google Benchmark is not installed"
    exit
fi
cmake --build --preset cuda -j "$(nproc)" --target benchmark_23 benchmark_stable_fluids
for benchmark in benchmark_23 benchmark_stable_fluids; do
    "$bin/$benchmark" --benchmark_out="$figures/$benchmark.json" --benchmark_out_format=json \
        >"$figures/$benchmark.txt"
    cat "$figures/$benchmark.txt"
done
echo "on_a_gpu: all tests passed; the figures are in $figures/"
