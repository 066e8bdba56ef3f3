#!/usr/bin/env bash
# From a bare Debian 12 to the first result: packages, build, run.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/prepare.sh"

usage() {
  cat <<'USAGE'
usage: ./quickstart.sh [--jobs N] [--no-install]

Installs the Debian packages that are missing (as root or with sudo), builds build/release/flitscope and runs
configs/quickstart.yaml with it. What the run found is in build/quickstart, as a page in report.html. The second time
only what changed is built.

  -j, --jobs N    compile N files at once (default: all cores, at 1.5 GB of memory each)
  --no-install    install nothing, use what is there
  -h, --help      this text
USAGE
}

while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit
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

need_packages "${build_packages[@]}"
configure release
build release flitscope build/quickstart.log

say "running build/release/flitscope run configs/quickstart.yaml"
rm -rf build/quickstart
build/release/flitscope run configs/quickstart.yaml --out build/quickstart --set observe='{messages: true, trace: binary}'
say "the same as a page for the browser:"
build/release/flitscope report build/quickstart || say "all that the run wrote is in build/quickstart"
