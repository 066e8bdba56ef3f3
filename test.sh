#!/usr/bin/env bash
# Builds everything and runs the tests. The last line is ctest's, and so is the exit code.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/prepare.sh"

usage() {
  cat <<'USAGE'
usage: ./test.sh [--preset NAME | --check | --all] [--jobs N] [--no-install] [-- CTEST-ARGUMENT...]

Installs the Debian packages that are missing, builds everything and runs all tests.

  --preset NAME   release (default), debug, asan or coverage
  --check         what CI does: format check, clang-tidy, then the tests of release; installs Slurm, if it can be
                  had, for the tests of sweeps on a cluster
  --all           the same, and the tests of asan, which take longer than all the rest
  -j, --jobs N    compile N files and run N tests at once (default: all cores, memory permitting)
  --no-install    install nothing, use what is there
  -h, --help      this text

After -- come arguments for ctest, for instance ./test.sh -- -R Wormhole
USAGE
}

presets=(release)
check=no
while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit
      ;;
    --preset)
      case ${2:-} in
        release | debug | asan | coverage) presets=("$2") ;;
        *) fail "--preset needs one of release, debug, asan, coverage" ;;
      esac
      shift 2
      ;;
    --check)
      check=yes
      shift
      ;;
    --all)
      check=yes
      presets=(release asan)
      shift
      ;;
    --)
      shift
      break
      ;;
    *)
      if ! shared_option "$@"; then
        usage >&2
        fail "unknown argument $1"
      fi
      shift "$shared_words"
      ;;
  esac
done

run_tests() {
  local preset=$1
  shift
  configure "$preset"
  build "$preset" all "build/test-$preset.log"
  say "tests ($preset)"
  ctest --preset "$preset" --parallel "$jobs" --no-tests=error --timeout 1000 "$@"
}

need_packages "${build_packages[@]}"

if [[ $check == no ]]; then
  run_tests "${presets[0]}" "$@"
  exit
fi

# A cluster to test sweeps on. Only here, since the packages bring daemons that not every machine should have.
want_packages "${cluster_packages[@]}"

# Every part runs even if an earlier one failed; the tests come last.
failed=()
options=()
if [[ $may_install == no ]]; then options+=(--no-install); fi
if [[ -n $jobs ]]; then options+=(--jobs "$jobs"); fi
scripts/check_format.sh "${options[@]}" || failed+=("format check")
scripts/lint.sh "${options[@]}" || failed+=("lint")
for preset in "${presets[@]}"; do
  # A process of its own, in which `set -e` still counts.
  ./test.sh "${options[@]}" --preset "$preset" -- "$@" || failed+=("tests ($preset)")
done
if ((${#failed[@]})); then
  printf -v list '%s, ' "${failed[@]}"
  fail "failed: ${list%, }"
fi
