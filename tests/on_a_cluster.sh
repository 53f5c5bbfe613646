#!/bin/sh
# What a step takes on 1, 2, 4, ... ranks, up to as many as are asked for: a box that stays as it is (strong
# scaling), and one that grows with the ranks (weak scaling). Each row says the seconds of a step, the processor time
# of the first rank, the iterations, the share of the time that ranks wait, and what all of them send. Then what a
# product with the matrix takes on one rank, if it stores our rows, or what PETSc keeps for a box stencil; and an
# exchange by hand and by PETSc's DMDA.
#
# usage: tests/on_a_cluster.sh [RANKS [N [STEPS [PETSC'S OPTIONS...]]]]     (4 ranks, N = 512, 10 steps)
#        LAUNCH='srun -n' tests/on_a_cluster.sh 256 4096                    (in a job of a cluster with Slurm)
set -eu
cd "$(dirname "$0")/.."

most=${1:-4}
n=${2:-512}
steps=${3:-10}
shift $(($# < 3 ? $# : 3))
launch=${LAUNCH:-mpiexec -n}
set -a # what is set goes to the programs that are run
# shellcheck source=/dev/null
. common/book/mpi.env
set +a
# On a cluster mpiexec should say what goes wrong, each rank has a core of its own, and there is a network.
unset OMPI_MCA_orte_execute_quiet OMPI_MCA_mpi_yield_when_idle OMPI_MCA_btl

cmake --preset default >/dev/null
cmake --build --preset default -j "$(nproc)" --target many_ranks >/dev/null
echo "strong: $n x $n cells, $steps steps"
ranks=1
one=--one
while [ "$ranks" -le "$most" ]; do
    # shellcheck disable=SC2086 # a command and its flags
    $launch "$ranks" build/bin/many_ranks "$n" "$n" 1 "$steps" $one "$@"
    one=
    ranks=$((2 * ranks))
done
echo "weak: $n x $n cells a rank, $steps steps"
ranks=1
while [ "$ranks" -le "$most" ]; do
    # shellcheck disable=SC2086 # a command and its flags
    $launch "$ranks" build/bin/many_ranks "$((ranks * n))" "$n" 1 "$steps" "$@"
    ranks=$((2 * ranks))
done
for box in "512 512 1" "64 64 64"; do
    echo "a product with the matrix: $box cells"
    # shellcheck disable=SC2086 # three numbers; a command and its flags
    $launch 1 build/bin/many_ranks $box 10 --matrix
done
echo "exchanges of u, v, w and dye: $n x $n cells, 2 layers"
# shellcheck disable=SC2086 # a command and its flags
$launch "$most" build/bin/many_ranks "$n" "$n" 1 1 --dmda
