#!/usr/bin/env bash
# Installs a build of flitscope, builds all examples against it as projects of their own, and checks what they print.
# usage: test.sh BUILD-DIRECTORY|--installed=PREFIX [FLITS]     FLITS: of the comparison with RTL (5000)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flits=${2:-5000}
if [[ $1 == --installed=* ]]; then
  prefix=${1#--installed=}
else
  prefix=$work/installed
  cmake --install "$1" --prefix "$prefix" >"$work/log"
fi

run() {
  printf '%s:\n' "$1"
  shift
  SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 "$@"
}

# Debug: they are compiled once and run for a moment.
cmake -S "$here/all" -B "$work/build" -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_BUILD_TYPE=Debug >>"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
run consumer "$work/build/consumer/consumer"
run traffic_sink "$work/build/embedding/traffic_sink" | tail -n 8
run traffic_source "$work/build/embedding/traffic_source"
run tlm_memory "$work/build/embedding/tlm_memory"
run own_parts "$work/build/embedding/own_parts"
run accelerator "$work/build/booksim2/accelerator" "$here/booksim2/mesh.icnt"
run ring_all_reduce "$work/build/astra-sim/ring_all_reduce" "$here/astra-sim/ring.yaml" 8192
run gpu "$work/build/booksim2/gpu" "$here/booksim2/ring.icnt"
if [[ -x $work/build/rtl-router/rtl_router ]]; then
  run rtl_router "$work/build/rtl-router/rtl_router" "$flits"
else
  printf 'rtl_router: left out, verilator is missing\n'
fi

# The same without CMake.
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  read -ra flags <<<"$(pkg-config --cflags --libs flitscope-network)"
  c++ -o "$work/with-pkg-config" "$here/embedding/own_parts.cpp" "${flags[@]}"
  run "with pkg-config" "$work/with-pkg-config" | tail -n 1
fi
run program "$prefix/bin/flitscope" run "$prefix/share/flitscope/configs/quickstart.yaml" | grep -o verified
