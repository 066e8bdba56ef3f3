#!/usr/bin/env bash
# Attacks everything that reads files, for as long as one likes.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"

usage() {
  cat <<'USAGE'
usage: scripts/fuzz.sh [--minutes N] [--seed N] [--guided] [TARGET...] [--jobs N] [--no-install]

Attacks each target (default: all; `build/release/tests/fuzz` lists them) for N minutes (default: 10) with inputs
made from tests/fuzz/corpus, several targets at once. Findings are files in build/findings; to repeat one:
build/release/tests/fuzz TARGET FILE. Put it into tests/fuzz/corpus/TARGET when it is mended.

  --seed N     other inputs (default: the time)
  --guided     with libFuzzer and the address sanitizer instead: a build of its own (preset fuzz) with clang
USAGE
}

minutes=10
seed=$(date +%s)
guided=no
targets=()
while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit
      ;;
    --minutes | --seed)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "$1 needs a number, such as $1 60"
      if [[ $1 == --seed ]]; then seed=$2; else minutes=$2; fi
      shift 2
      ;;
    --guided)
      guided=yes
      shift
      ;;
    -*)
      shared_option "$@" || fail "unknown argument $1"
      shift "$shared_words"
      ;;
    *)
      targets+=("$1")
      shift
      ;;
  esac
done

findings=$root/build/findings
preset=release
program=fuzz
need_packages "${build_packages[@]}"
if [[ $guided == yes ]]; then
  need_packages clang-19 libclang-rt-19-dev
  preset=fuzz
  program=guided_fuzz
fi
configure "$preset"
build "$preset" "fuzz $program" "build/fuzz.log"
make_directory build/findings
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <("build/$preset/tests/fuzz" | cut -d ' ' -f 1)
fi

attack() {
  local target=$1
  if [[ $program == fuzz ]]; then
    "build/$preset/tests/fuzz" "$target" $((minutes * 60)) "$seed" "$findings"
    return
  fi
  # What libFuzzer learns stays below build/; the corpus of the repository is only read.
  mkdir -p "build/$preset/learnt/$target"
  FLITSCOPE_FUZZ_TARGET=$target "build/$preset/tests/guided_fuzz" -max_total_time=$((minutes * 60)) -seed="$seed" \
    -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$findings/$target-" -verbosity=0 -print_final_stats=1 \
    "build/$preset/learnt/$target" "tests/fuzz/corpus/$target"
}
export -f attack
export preset program minutes seed findings

say "attacking ${targets[*]} for $minutes minutes each, seed $seed"
# shellcheck disable=SC2016
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$jobs" bash -euo pipefail -c 'attack "$0"' ||
  fail "there are findings in build/findings"
say "nothing found"
