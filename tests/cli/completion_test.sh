#!/usr/bin/env bash
# What bash completes after a few beginnings. usage: completion_test.sh PROGRAM
set -uo pipefail
program=$1
# shellcheck source=/dev/null
source "$(dirname "$0")/../../packaging/completion.bash"
failures=0

# completes WANTED WORD...: WANTED is among what the last of these words can become.
completes() {
  local wanted=$1
  shift
  COMP_WORDS=("$program" "$@")
  COMP_CWORD=$#
  _flitscope
  if ! printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$wanted"; then
    echo "after '$*' there is no $wanted: ${COMPREPLY[*]}"
    failures=1
  fi
}

completes run ru
completes verify ''
completes --json run --js
completes --set run --s
completes routings list rou
completes router.buffer= run x.yaml --set router.b
completes name= run x.yaml --set na
completes dimension-order run x.yaml --set router.routing = dim
completes all-reduce-ring run x.yaml --set workload.algorithm =
completes uniform run x.yaml --set workload.traffic = u
exit $failures
