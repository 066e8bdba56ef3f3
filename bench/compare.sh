#!/usr/bin/env bash
# Instructions of the benchmarks and of whole runs, in this tree and in another revision: a slower commit is seen,
# whatever else the machine does. Needs valgrind; builds both with the release preset's options.
#
#   bench/compare.sh REV [NAME...]
#
# NAMEs are benchmarks of engine_bench and configurations in configs/; without any, those below.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

# Benchmark and scale: long enough for what happens once not to count.
declare -A scale=([torus_random]=0.05 [mesh_worms]=0.02 [idle_worms]=0.02 [exchange]=0.1
                  [random_16]=0.02 [random_32]=0.1 [random_64]=0.1)
benchmarks=(torus_random mesh_worms idle_worms exchange random_16)
runs=(quickstart gossip-8x8 one-port-mesh)

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "$0"
  exit "$1"
}
case ${1:-} in
  -h | --help) usage 0 ;;
  "") usage 2 ;;
esac
revision=$(git rev-parse --verify --short "$1^{commit}")
shift
command -v valgrind >/dev/null || { echo "compare.sh: valgrind is not installed" >&2; exit 1; }

other=build/compare/$revision
if [[ ! -d $other/source ]]; then
  mkdir -p "$other/source"
  git archive "$revision" | tar x -C "$other/source"
fi
# A benchmark that the other revision lacks is built there with it.
cp bench/engine_bench.cpp bench/simulation.h "$other/source/bench/"
cmake -S "$other/source" -B "$other/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --preset release >/dev/null
ninja -C "$other/build" flitscope engine_bench >/dev/null
ninja -C build/release flitscope engine_bench >/dev/null

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# counted PROGRAM ARGUMENTS...: instructions, those of the clock's process alone for a benchmark.
counted() {
  local only=()
  [[ $1 == *engine_bench ]] && only=(--toggle-collect='flitscope::ClockDomain::tick()')
  valgrind --tool=callgrind --callgrind-out-file="$scratch/out" "${only[@]}" "$@" 2>"$scratch/errors" >"$scratch/text" ||
    { cat "$scratch/errors" >&2; exit 1; }
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\).*/\1/p' "$scratch/errors"
}

# of BUILD NAME
of() {
  if [[ -n ${scale[$2]:-} ]]; then
    FLITSCOPE_BENCH_SCALE=${scale[$2]} counted "$1/bench/engine_bench" --benchmark_filter="$2/"
  else
    counted "$1/flitscope" run "configs/$2.yaml" --quiet
  fi
}

names=("$@")
((${#names[@]})) || names=("${benchmarks[@]}" "${runs[@]}")
printf '%-24s %16s %16s %8s\n' instructions "$revision" here change
for name in "${names[@]}"; do
  before=$(of "$other/build" "$name")
  now=$(of build/release "$name")
  printf '%-24s %16d %16d %+7.1f%%\n' "$name" "$before" "$now" \
    "$(awk -v a="$before" -v b="$now" 'BEGIN { print 100 * (b / a - 1) }')"
done
