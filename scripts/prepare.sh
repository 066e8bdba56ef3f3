# Sourced by quickstart.sh, test.sh and the scripts beside this one: packages, configuration, build.
# The sourcing script has `set -euo pipefail`; everything here works from the root of the repository.
# shellcheck shell=bash

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root" || exit

# What the release preset needs, benchmarks and tests included. Keep in step with cmake/dependencies.cmake.
build_packages=(
  g++ cmake ninja-build
  libsystemc-dev libboost-program-options-dev libboost-graph-dev libyaml-cpp-dev libfmt-dev
  nlohmann-json3-dev libsqlitecpp-dev libsqlite3-dev libssl-dev libpugixml-dev zlib1g-dev libprotobuf-dev protobuf-compiler
  libgtest-dev libbenchmark-dev gtkwave librsvg2-bin python3 python3-dev pybind11-dev node-d3
)
# What tests of sweeps on a cluster need; they are skipped without.
# shellcheck disable=SC2034
cluster_packages=(munge slurmctld slurmd slurm-client)
# What loads the reports in tests, which are skipped without.
# shellcheck disable=SC2034
browser_packages=(chromium)
# What examples and the Python module are tested with; these tests are shorter without.
# shellcheck disable=SC2034
example_packages=(verilator pkg-config python3-pandas)

may_install=yes  # --no-install: use what is there
jobs=            # --jobs N; otherwise as many as cores and memory allow

# Progress and errors go to stderr: stdout belongs to results.
say() { printf 'flitscope: %s\n' "$*" >&2; }

fail() {
  say "error: $1"
  shift
  if (($#)); then printf '  %s\n' "$@" >&2; fi
  exit 1
}

indented() { sed 's/^/  | /' >&2; }

make_directory() {
  if mkdir -p "$1" 2>/dev/null && [[ -w $1 ]]; then return 0; fi
  fail "$root/$1 cannot be written to by $(id -un)." \
    "Was it made by root? Remove it, or give it to $(id -un) with chown."
}

# Reads one option that all scripts share; false if it is not one of them. `shared_words` is what to shift.
# shellcheck disable=SC2034
shared_option() {
  shared_words=1
  case $1 in
    --no-install) may_install=no ;;
    --jobs | -j)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "$1 needs a number, such as $1 4"
      jobs=$2
      shared_words=2
      ;;
    *) return 1 ;;
  esac
}

# --- packages ----------------------------------------------------------------------------------------------

missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qxF "$package installed" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Sets `as_root` to what a command that needs root must be prefixed with; false if there is no way.
become_root() {
  as_root=()
  if [[ $(id -u) == 0 ]]; then return 0; fi
  command -v sudo >/dev/null || return 1
  as_root=(sudo)
  if sudo -n true 2>/dev/null; then return 0; fi
  [[ -t 0 ]] || return 1
  say "sudo may ask for your password"
  sudo true
}

run_apt() {
  local environment=(LC_ALL=C DEBIAN_FRONTEND=noninteractive) name
  for name in http_proxy https_proxy no_proxy; do
    if [[ -n ${!name:-} ]]; then environment+=("$name=${!name}"); fi
  done
  "${as_root[@]}" env "${environment[@]}" apt-get -o DPkg::Lock::Timeout=120 "$@" </dev/null
}

# need_packages PACKAGE...: installs those that are missing; asks apt nothing if none is.
need_packages() {
  local log=build/packages.log command missing
  if [[ $may_install == no ]]; then return 0; fi
  if ! command -v dpkg-query >/dev/null; then
    fail "this system has no apt-get, so flitscope cannot install what it needs." \
      "Install your distribution's equivalent of these Debian packages:" "  $*" \
      "and call this script again with --no-install."
  fi
  missing=$(missing_packages "$@")
  if [[ -z $missing ]]; then return 0; fi
  mapfile -t missing <<<"$missing"

  command="apt-get install --no-install-recommends ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    fail "this system has no apt-get, so flitscope cannot install what it needs." \
      "Install these Debian packages:" "  ${missing[*]}" "and call this script again."
  fi
  if ! become_root; then
    fail "packages are missing, and installing them needs root or sudo." \
      "An administrator must run, once:" "  apt-get update" "  $command"
  fi

  say "installing ${missing[*]}"
  make_directory build
  # A third-party source that cannot be reached makes `update` fail and does not matter if `install` works.
  run_apt update >"$log" 2>&1 || true
  if run_apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then return 0; fi

  say "error: apt-get could not install the packages. Its last lines (all: $log):"
  local noise='^(Get:|Hit:|Ign:|Reading |Building |Selecting |Preparing |Unpacking )'
  { grep -vE "$noise" "$log" || true; } | tail -n 12 | indented
  local network='resolv|connect|timed out|unreachable|Failed to fetch|Some index files failed|Unable to locate'
  if grep -qE 'No space left|enough free space' "$log"; then
    fail "the disk is full."
  elif grep -qE "$network" "$log"; then
    fail "the package servers could not be reached, or do not have these packages." \
      "Is this machine on the network? Behind a proxy, set http_proxy. Debian 12 or later is needed." \
      "By hand:  $command"
  fi
  fail "by hand:  $command"
}

# want_packages PACKAGE...: as need_packages, but what cannot be had is done without.
want_packages() {
  if (need_packages "$@"); then return 0; fi
  say "going on without $*; tests that need them will be skipped"
}

# --- configuration -----------------------------------------------------------------------------------------

check_tools() {
  local tool version compiler
  for tool in cmake ninja; do
    command -v "$tool" >/dev/null || fail "$tool is not installed." "Needed packages: ${build_packages[*]}"
  done
  version=$(cmake --version | sed -n 's/^cmake version //p')
  if [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) != 3.25 ]]; then
    fail "CMake 3.25 or newer is needed; this is $version ($(command -v cmake))." "Debian 12 has it."
  fi
  read -ra compiler <<<"${CXX:-c++}"
  command -v "${compiler[0]}" >/dev/null || fail "there is no C++ compiler named ${compiler[0]}."
  if ! "${compiler[@]}" -std=c++20 -fsyntax-only -x c++ - <<'PROGRAM' >build/compiler.log 2>&1; then
#include <bit>
#include <concepts>
#include <ranges>
#include <span>
#ifndef __cpp_lib_ranges
#error "std::ranges is missing"
#endif
enum class Kind { torus, mesh };
template <std::integral T>
T use(std::span<const T> values) {
  using enum Kind;
  return static_cast<T>(std::ranges::distance(values)) + static_cast<T>(mesh);
}
PROGRAM
    say "error: the compiler cannot do C++20 as flitscope needs it. It says:"
    tail -n 5 build/compiler.log | indented
    fail "g++ 12 or newer is needed; this is: $("${compiler[@]}" --version 2>&1 | head -n 1)" \
      "Another one is chosen with the environment variable CXX, for instance CXX=g++-12."
  fi
}

check_disk() {
  local free
  free=$(df -Pk build | awk 'NR == 2 { print int($4 / 1024) }')
  if ((free < 1500)); then say "warning: only $free MB are free here; a build takes up to 1500 MB"; fi
}

# configure PRESET [always]: without `always` only if it was not done, or the presets changed, or the tree was
# moved. For a build that is enough: changed CMakeLists.txt files and new sources are ninja's business.
configure() {
  local preset=$1 directory=build/$1 log=build/configure-$1.log fresh=()
  make_directory build
  make_directory "$directory"
  if [[ -f $directory/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$directory/CMakeCache.txt"; then
    fresh=(--fresh)
  elif [[ ${2:-} != always && -f $directory/build.ninja && ! CMakePresets.json -nt $directory/build.ninja ]]; then
    return 0
  fi
  check_tools
  check_disk
  if [[ ! -f $directory/build.ninja ]]; then say "configuring ($directory)"; fi
  if ! cmake --preset "$preset" "${fresh[@]}" >"$log" 2>&1; then
    say "error: CMake could not configure the build. Its last lines (all: $log):"
    tail -n 15 "$log" | indented
    rm -f "$directory/build.ninja"
    exit 1
  fi
  touch "$directory/build.ninja"
}

# --- build -------------------------------------------------------------------------------------------------

# One job a core, but only as many as have 1.5 GB of memory each.
choose_jobs() {
  local memory=0 limit fitting
  if [[ -n $jobs ]]; then return 0; fi
  jobs=$(nproc)
  if [[ -r /proc/meminfo ]]; then memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo); fi
  if [[ -r /sys/fs/cgroup/memory.max ]]; then
    limit=$(awk '/^[0-9]+$/ { print int($1 / 1048576) }' /sys/fs/cgroup/memory.max)
    if [[ -n $limit ]] && ((memory == 0 || limit < memory)); then memory=$limit; fi
  fi
  if ((memory > 0)); then
    fitting=$((memory / 1500 > 0 ? memory / 1500 : 1))
    if ((fitting < jobs)); then jobs=$fitting; fi
  fi
}

# Turns ninja's lines on stdin into one line on a terminal, four lines elsewhere, none if nothing is done.
show_progress() {
  local line built total quarter shown=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]] || continue
    built=${BASH_REMATCH[1]}
    total=${BASH_REMATCH[2]}
    quarter=$((built * 4 / total))
    if [[ -t 2 ]]; then
      printf '\rflitscope: built %d of %d ' "$built" "$total" >&2
      shown=1
    elif ((quarter > shown)); then
      say "built $built of $total"
      shown=$quarter
    fi
  done
  if [[ -t 2 ]] && ((shown)); then printf '\n' >&2; fi
}

show_build_errors() {
  local noise='^\[[0-9]+/[0-9]+\]|^FAILED: |^(: && )?/[^ ]*/(c\+\+|g\+\+|cmake|ar) |^ninja: |^-- '
  local lines first
  lines=$(grep -vE "$noise" "$1" || true)
  first=$(grep -nE 'error:|undefined reference|multiple definition|CMake Error' <<<"$lines" | head -n 1)
  # The lines before the first error say where it is included from.
  if [[ -n $first ]]; then
    first=${first%%:*}
    lines=$(sed -n "$((first > 10 ? first - 10 : 1)),$((first + 30))p" <<<"$lines")
  fi
  tail -n 41 <<<"$lines" | indented
}

# build PRESET TARGETS LOG: targets in one word, separated by spaces; `all` is one.
build() {
  local preset=$1 log=$3 sources minutes targets
  read -ra targets <<<"$2"
  choose_jobs
  if [[ ! -e build/$preset/.ninja_log ]]; then
    sources=(model params algorithms networks traffic routers sim)
    if [[ $2 == all ]]; then sources+=(examples tests bench); fi
    minutes=$(find "${sources[@]}" -name '*.cpp' | wc -l)
    minutes=$(((minutes * 5 / 4 / jobs + 59) / 60))
    say "building (this takes about $minutes minute$( ((minutes == 1)) || echo s) the first time; jobs: $jobs)"
  fi
  if cmake --build --preset "$preset" --target "${targets[@]}" --parallel "$jobs" 2>&1 | tee "$log" | show_progress
  then
    return 0
  fi
  say "error: the build failed. What the compiler says (all: $log):"
  show_build_errors "$log"
  if grep -qE 'Killed|out of memory|cannot allocate memory' "$log"; then
    fail "memory ran out: try again with fewer jobs than $jobs, for instance --jobs 1"
  elif grep -q 'No space left on device' "$log"; then
    fail "the disk is full."
  fi
  exit 1
}
