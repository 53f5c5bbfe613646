#!/bin/sh
# What a step takes on 1, 2, 4, ... ranks, up to as many as are asked for: a box that stays as it is (strong
# scaling), and one that grows with the ranks (weak scaling). Each row says the seconds of a step, the processor time
# of the first rank, the iterations, the share of the time that ranks wait, and what all of them send. Weak scaling also
# says what share of its speed a rank keeps, by the fastest step. Then what a product with the matrix takes on one rank,
# if it stores our rows, or what PETSc keeps for a box stencil; an exchange by hand and by PETSc's DMDA; and what the
# second page of 53_many shows: what is sent, by formula and by count, on how many cores a rank may run, an exchange
# while inner cells are computed, and PETSc's settings.
#
# usage: tests/on_a_cluster.sh [RANKS [N [STEPS [PETSC'S OPTIONS...]]]]     (4 ranks, N = 512, 10 steps)
#        LAUNCH='srun --mpi=pmix --cpu-bind=cores -n' tests/on_a_cluster.sh 256 4096     (in a job of Slurm)
#        LAUNCH='mpiexec --bind-to core -n' tests/on_a_cluster.sh 16 1024                (Open MPI without it)
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
    row=$($launch "$ranks" build/bin/many_ranks "$((ranks * n))" "$n" 1 "$steps" "$@")
    fastest=$(echo "$row" | awk '{ print $4 }')
    alone=${alone:-$fastest}
    echo "$row  speed kept: $(echo "$alone $fastest" | awk '{ printf "%.2f", $1 / $2 }')"
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
echo "what is sent: $n x $n cells"
# shellcheck disable=SC2086 # a command and its flags
$launch "$most" build/bin/many_ranks "$n" "$n" 1 1 --costs "$@"
echo "an exchange of three fields, and the sum of each cell's neighbours in them: $n x $n cells"
# shellcheck disable=SC2086 # a command and its flags
$launch "$most" build/bin/many_ranks "$n" "$n" 1 100 --overlap
for setting in "" "-pc_gamg_threshold 0.01" "-pc_gamg_agg_nsmooths 0" "-pc_gamg_aggressive_coarsening 0" \
    "-pc_gamg_coarse_eq_limit 1000" "-pc_gamg_coarse_eq_limit 10000" "-mg_levels_ksp_max_it 1" \
    "-mg_levels_pc_type sor"; do
    echo "the pressure's grids: $n x $n cells, ${setting:-our settings}"
    # shellcheck disable=SC2086 # a command and its flags
    $launch "$most" build/bin/many_ranks "$n" "$n" 1 "$steps" --pressure $setting
done
