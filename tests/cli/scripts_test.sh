#!/usr/bin/env bash
# What quickstart.sh and test.sh say and do when things are missing or fail. Each case runs copies of them in an
# empty project whose PATH leads to imitations of apt-get, sudo, cmake and so on; nothing is installed or compiled.
# shellcheck disable=SC2016
set -euo pipefail

source_root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

project=$scratch/project
bin=$scratch/bin
failures=0

# imitate NAME: its body comes from stdin; calls are noted in $scratch/calls.
imitate() {
  rm -f "$bin/$1"
  { printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n' "$1" "$scratch"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# A machine on which everything works: root, all packages missing, a network.
fresh_machine() {
  local tool
  rm -rf "$project" "$bin" "$scratch/calls"
  mkdir -p "$project"/{model,params,algorithms,networks,traffic,routers,sim,examples,tests,bench,configs} "$bin"
  cp -R "$source_root"/{quickstart.sh,test.sh,scripts,.ci} "$project"
  echo '{}' >"$project/CMakePresets.json"
  echo 'int x;' >"$project/model/x.cpp"
  touch "$scratch/calls"
  for tool in awk bash cat chmod cut df dirname env find grep head mkdir readlink rm sed sort tail tee touch wc; do
    ln -s "$(command -v "$tool")" "$bin/$tool"
  done
  imitate id <<<'if [ "$1" = -u ]; then echo 0; else echo somebody; fi'
  imitate nproc <<<'echo 4'
  imitate dpkg-query <<<'exit 1'
  imitate apt-get <<<'exit 0'
  imitate ninja <<<'exit 0'
  imitate c++ <<<'if [ "$1" = --version ]; then echo "c++ imitation"; fi'
  imitate ctest <<<'echo "100% tests passed, 0 tests failed out of 3"'
  imitate cmake <<'CMAKE'
case $1 in
  --version) echo "cmake version 3.25.1" ;;
  --preset)
    mkdir -p "build/$2"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$2/CMakeCache.txt"
    touch "build/$2/build.ninja"
    ;;
  --build)
    echo "[0/2] Re-checking globbed directories..."
    echo "[1/1] Building CXX object model/x.cpp.o"
    printf '#!/bin/bash\necho "ran $*"\n' >"build/$3/flitscope"
    chmod +x "build/$3/flitscope"
    touch "build/$3/.ninja_log"
    ;;
esac
CMAKE
}

# run SCRIPT ARGUMENT...: leaves `output` (both streams) and `status`.
run() {
  status=0
  output=$(cd / && PATH=$bin "$project/$1" "${@:2}" 2>&1 </dev/null) || status=$?
}

complain() {
  failures=$((failures + 1))
  printf 'FAILED: %s: %s\n' "$name" "$1"
  printf '%s\n' "$output" | sed 's/^/    /'
}

case_named() {
  name=$1
  fresh_machine
}
expect_status() { if [[ $status != "$1" ]]; then complain "exit code is $status, not $1"; fi; }
expect_says() { if [[ $output != *"$1"* ]]; then complain "it does not say: $1"; fi; }
expect_silent_on() { if [[ $output == *"$1"* ]]; then complain "it says: $1"; fi; }
expect_call() { if ! grep -q -- "$1" "$scratch/calls"; then complain "no call: $1"; fi; }
expect_no_call() { if grep -q -- "$1" "$scratch/calls"; then complain "a call: $1"; fi; }

all_installed() {
  imitate dpkg-query <<<'for package; do echo "$package installed"; done'
}

case_named "a bare machine gets its packages and runs the first experiment"
run quickstart.sh
expect_status 0
expect_call '^apt-get .* update'
expect_call '^apt-get .* install -y --no-install-recommends g++ cmake ninja-build libsystemc-dev'
expect_says "flitscope: building"
expect_says "ran run configs/quickstart.yaml"
expect_says "ran report build/quickstart"

case_named "the second time neither apt nor the configuration is called, and nothing but the run and its page is said"
all_installed
run quickstart.sh
rm "$scratch/calls"
imitate cmake <<<'echo "ninja: no work to do."'
run quickstart.sh
expect_status 0
expect_no_call '^apt-get'
expect_no_call 'cmake --preset'
if (($(wc -l <<<"$output") != 4)); then complain "it says more than four lines"; fi

case_named "only what is missing is installed"
imitate dpkg-query <<<'for package; do [ "$package" = cmake ] || echo "$package installed"; done'
run quickstart.sh
expect_call 'install -y --no-install-recommends cmake$'

case_named "through a symbolic link it is the same"
ln -s "$project/quickstart.sh" "$scratch/link"
status=0
output=$(cd / && PATH=$bin "$scratch/link" 2>&1 </dev/null) || status=$?
rm "$scratch/link"
expect_status 0
expect_says "ran run configs/quickstart.yaml"

case_named "neither root nor sudo: the administrator's command is named"
imitate id <<<'echo 1000'
run quickstart.sh
expect_status 1
expect_says "needs root or sudo"
expect_says "apt-get install --no-install-recommends g++ cmake"
expect_no_call '^apt-get'

case_named "sudo that wants a password nobody can type is as good as none"
imitate id <<<'echo 1000'
imitate sudo <<<'exit 1'
run quickstart.sh
expect_status 1
expect_says "An administrator must run"

case_named "a user with sudo installs with it"
imitate id <<<'echo 1000'
imitate sudo <<<'if [ "$1" = -n ]; then shift; fi; if [ "$1" != true ]; then "$@"; fi'
run quickstart.sh
expect_status 0
expect_call '^sudo env .*apt-get .*install'

case_named "no network: apt's words and what to do"
imitate apt-get <<'APT'
case "$*" in
  *update*) echo "W: Some index files failed to download." ;;
  *) echo "E: Failed to fetch http://mirror.example/g++.deb  Temporary failure resolving 'mirror.example'"; exit 100 ;;
esac
APT
run quickstart.sh
expect_status 1
expect_says "could not be reached"
expect_says "Temporary failure resolving 'mirror.example'"
expect_says "build/packages.log"
expect_no_call '^cmake'

case_named "a system without apt-get: the packages are named"
rm "$bin/apt-get" "$bin/dpkg-query"
run quickstart.sh
expect_status 1
expect_says "no apt-get"
expect_says "libsystemc-dev"
expect_says "--no-install"

case_named "--no-install needs no apt-get"
rm "$bin/apt-get" "$bin/dpkg-query"
run quickstart.sh --no-install
expect_status 0
expect_says "ran run configs/quickstart.yaml"

case_named "a compiler that is too old is named"
all_installed
imitate c++ <<<'if [ "$1" = --version ]; then echo "c++ 8.3"; else echo "error: no ranges" >&2; exit 1; fi'
run quickstart.sh
expect_status 1
expect_says "g++ 12 or newer is needed; this is: c++ 8.3"

case_named "a CMake that is too old is named"
all_installed
imitate cmake <<<'echo "cmake version 3.18.4"'
run quickstart.sh
expect_status 1
expect_says "CMake 3.25 or newer is needed; this is 3.18.4"

case_named "a failed build shows the compiler's words and the log"
all_installed
imitate cmake <<'CMAKE'
case $1 in
  --version) echo "cmake version 3.25.1" ;;
  --preset) mkdir -p "build/$2" && touch "build/$2/build.ninja" ;;
  --build)
    echo "[1/2] Building CXX object model/x.cpp.o"
    echo "FAILED: model/x.cpp.o"
    echo "/usr/bin/c++ -O3 -c model/x.cpp"
    echo "model/x.cpp:1:1: error: 'flit' was not declared"
    echo "ninja: build stopped: subcommand failed."
    exit 1
    ;;
esac
CMAKE
run quickstart.sh
expect_status 1
expect_says "model/x.cpp:1:1: error: 'flit' was not declared"
expect_says "build/quickstart.log"
expect_silent_on "-O3"

case_named "a tree that was moved is configured afresh"
all_installed
mkdir -p "$project/build/release"
touch "$project/build/release/build.ninja"
echo 'CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere' >"$project/build/release/CMakeCache.txt"
run quickstart.sh
expect_status 0
expect_call '^cmake --preset release --fresh'

case_named "what it does not know it refuses"
run quickstart.sh --frobnicate
expect_status 1
expect_says "unknown argument --frobnicate"
expect_no_call '^apt-get'

case_named "test.sh ends with ctest's closing line"
run test.sh
expect_status 0
expect_call '^ctest --preset release'
if [[ $(tail -n 1 <<<"$output") != "100% tests passed, 0 tests failed out of 3" ]]; then complain "it does not"; fi

case_named "test.sh returns ctest's exit code and passes arguments on"
imitate ctest <<<'echo "66% tests passed, 1 tests failed out of 3"; exit 8'
run test.sh --preset asan -- -R Wormhole
expect_status 8
expect_call '^ctest --preset asan .*-R Wormhole'

case_named "test.sh --all wants a cluster and does without"
imitate dpkg-query <<<'for package; do case $package in slurm*|munge) ;; *) echo "$package installed" ;; esac; done'
imitate apt-get <<<'case $* in *slurmctld*) echo "E: Unable to locate package slurmctld"; exit 100 ;; esac'
run test.sh --all
expect_call 'install -y --no-install-recommends munge slurmctld slurmd slurm-client$'
expect_says "going on without munge slurmctld slurmd slurm-client"
expect_call '^ctest --preset asan'

case_named "test.sh --folders builds and runs these alone"
all_installed
run test.sh --preset asan --folders routers,config
expect_status 0
expect_call '^cmake --build --preset asan --target flitscope routers_test config_test --parallel'
expect_call '^ctest --preset asan .*--label-regex ^(routers|config)\$'

case_named "test.sh --check leaves the sanitizers to --all"
all_installed
run test.sh --check
expect_call '^ctest --preset release'
expect_no_call '^ctest --preset asan'

case_named "CI runs the sanitizers last"
all_installed
imitate clang-format-14 <<<''
run .ci/run
expect_status 0
expect_call '^ctest --preset asan .*--label-regex ^(routers|fuzz)\$'
if [[ $(tail -n 1 <<<"$output") != "100% tests passed, 0 tests failed out of 3" ]]; then complain "not ctest's closing line"; fi

case_named "CI ends with what fails"
all_installed
imitate clang-format-14 <<<''
imitate ctest <<<'echo "66% tests passed, 1 tests failed out of 3"; exit 8'
run .ci/run
expect_status 8
expect_no_call '^ctest --preset asan'
if [[ $(tail -n 1 <<<"$output") != "66% tests passed, 1 tests failed out of 3" ]]; then complain "not ctest's closing line"; fi

case_named "CI ends with what fails under the sanitizers"
all_installed
imitate clang-format-14 <<<''
imitate ctest <<<'if [ "$2" = asan ]; then echo "66% tests passed, 1 tests failed out of 3"; exit 8; fi'
run .ci/run
expect_status 8
if [[ $(tail -n 1 <<<"$output") != "66% tests passed, 1 tests failed out of 3" ]]; then complain "not ctest's closing line"; fi

case_named "test.sh alone brings no daemons"
run test.sh
expect_no_call 'slurm'

if ((failures)); then
  echo "$failures expectations were not met"
  exit 1
fi
echo "all scripts behave"
