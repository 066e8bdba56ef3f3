#!/usr/bin/env bash
# Installs a build of flitscope, builds the consumer against it, and runs it.
# usage: test.sh BUILD-DIRECTORY
set -euo pipefail
build=$1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >"$work/log"
cmake -S "$here" -B "$work/consumer" -D CMAKE_PREFIX_PATH="$work/installed" -D CMAKE_BUILD_TYPE=Debug >>"$work/log"
cmake --build "$work/consumer" >>"$work/log"
"$work/consumer/consumer"
"$work/installed/bin/flitscope" run "$work/installed/share/flitscope/configs/quickstart.yaml" | grep -o "verified"
