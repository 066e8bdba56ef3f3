#!/usr/bin/env bash
# Builds everything and runs the tests. The last line is ctest's, and so is the exit code.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/prepare.sh"

usage() {
  cat <<'USAGE'
usage: ./test.sh [--preset NAME] [--folders LIST] [--jobs N] [--no-install] [-- CTEST-ARGUMENT...]
       ./test.sh --check | --all [--jobs N] [--no-install] [-- CTEST-ARGUMENT...]

Installs the Debian packages that are missing, builds everything and runs all tests.

  --preset NAME   release (default), debug, asan, tsan or coverage
  --folders LIST    only these folders of tests, such as routers,observe
  --check         what CI does: format check, clang-tidy, then the tests of release; installs Slurm and
                  Chromium, if they can be had, for the tests of sweeps on a cluster and of reports
  --all           the same, and the tests of asan
  -j, --jobs N    compile N files and run N tests at once (default: all cores, memory permitting)
  --no-install    install nothing, use what is there
  -h, --help      this text

After -- come arguments for ctest, for instance ./test.sh -- -R Wormhole
USAGE
}

preset=release
folders=
check=no
sanitizers=no
while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit
      ;;
    --preset)
      case ${2:-} in
        release | debug | asan | tsan | coverage) preset=$2 ;;
        *) fail "--preset needs one of release, debug, asan, tsan, coverage" ;;
      esac
      shift 2
      ;;
    --folders)
      [[ ${2:-} =~ ^[a-z0-9]+(,[a-z0-9]+)*$ ]] || fail "--folders needs folders of tests, such as routers,observe"
      folders=$2
      shift 2
      ;;
    --check)
      check=yes
      shift
      ;;
    --all)
      check=yes
      sanitizers=yes
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
  local targets=(all) only=()
  if [[ -n $folders ]]; then
    IFS=, read -ra targets <<<"$folders"
    targets=(flitscope "${targets[@]/%/_test}")
    only=(--label-regex "^(${folders//,/|})$")
  fi
  configure "$preset"
  build "$preset" "${targets[*]}" "build/test-$preset.log"
  say "tests ($preset)"
  ctest --preset "$preset" --parallel "$jobs" --no-tests=error --timeout 1000 "${only[@]}" "$@"
}

need_packages "${build_packages[@]}"

if [[ $check == no ]]; then
  run_tests "$@"
  exit
fi

# A cluster to test sweeps on. Only here, since the packages bring daemons that not every machine should have.
want_packages "${cluster_packages[@]}"
want_packages "${browser_packages[@]}"
want_packages "${example_packages[@]}"

# Every part runs even if an earlier one failed; the tests come last.
failed=()
options=()
if [[ $may_install == no ]]; then options+=(--no-install); fi
if [[ -n $jobs ]]; then options+=(--jobs "$jobs"); fi
scripts/check_format.sh "${options[@]}" || failed+=("format check")
scripts/lint.sh "${options[@]}" || failed+=("lint")
# Processes of their own, in which `set -e` still counts.
./test.sh "${options[@]}" -- "$@" || failed+=("tests")
if [[ $sanitizers == yes ]]; then
  ./test.sh "${options[@]}" --preset asan -- "$@" || failed+=("tests under the sanitizers")
fi
if ((${#failed[@]})); then
  printf -v list '%s, ' "${failed[@]}"
  fail "failed: ${list%, }"
fi
