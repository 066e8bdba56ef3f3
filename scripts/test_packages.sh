#!/usr/bin/env bash
# Makes the Debian packages of a build, checks them with lintian, installs them in a root of their own, builds the examples
# against what is there, runs it all, removes the packages, and finds nothing left.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"

usage() {
  cat <<'USAGE'
usage: scripts/test_packages.sh [--debootstrap] [--no-install]

  --debootstrap   in a fresh Debian 12 with nothing but what the packages ask for; needs root, the network and 2 GB.
                  Without it the packages are unpacked into an empty root on this system's libraries
  --no-install    install nothing, use what is there
USAGE
}

clean_root=no
while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit
      ;;
    --debootstrap)
      clean_root=yes
      shift
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

need_packages "${build_packages[@]}" lintian
configure release
build release "flitscope flitscope-claims _flitscope" build/packages-build.log
rm -rf build/release/packages
say "packages"
(cd build/release && umask 022 && cpack -G DEB >../cpack.log) || fail "cpack failed, see build/cpack.log"
packages=(build/release/packages/*.deb)

say "lintian"
lintian --fail-on error "${packages[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root_of_test=$work/root
files_of_test() { find "$root_of_test" -name '*flitscope*' -not -path '*/proc/*' -not -path '*/var/cache/*' -not -path '*/var/log/*'; }

if [[ $clean_root == yes ]]; then
  become_root || fail "--debootstrap needs root"
  need_packages debootstrap
  say "debootstrap"
  "${as_root[@]}" debootstrap --variant=minbase bookworm "$root_of_test" "${MIRROR:-http://deb.debian.org/debian}" >build/debootstrap.log
  trap '"${as_root[@]}" rm -rf "$work"' EXIT
  inside() { "${as_root[@]}" chroot "$root_of_test" env DEBIAN_FRONTEND=noninteractive "$@"; }
  cp "${packages[@]}" "$root_of_test/root/"
  cp -r examples "$root_of_test/root/examples"
  inside apt-get update >build/debootstrap.log
  copies=("${packages[@]##*/}")  # the root has names of its own
  inside apt-get install -y "${copies[@]/#/./root/}" g++ make cmake pkg-config verilator >build/debootstrap.log
  inside /root/examples/test.sh --installed=/usr
  inside flitscope claims meyer-sibeyn table-1-situation-1
  inside python3 -c 'import flitscope; print(flitscope.version())'
  rm -rf "$root_of_test"/root/*
  inside apt-get purge -y flitscope libflitscope-dev python3-flitscope >build/debootstrap.log
else
  mkdir -p "$root_of_test/var/lib/dpkg/updates" "$root_of_test/var/lib/dpkg/info"
  : >"$root_of_test/var/lib/dpkg/status"
  alone=(dpkg --root="$root_of_test" --force-not-root --force-depends --force-script-chrootless --log=/dev/null)
  say "install"
  "${alone[@]}" --install "${packages[@]}" >build/install.log 2>&1 || fail "dpkg failed, see build/install.log"
  examples/test.sh --installed="$root_of_test/usr"
  PYTHONPATH=$root_of_test/usr/lib/python3/dist-packages FLITSCOPE=$root_of_test/usr/bin/flitscope \
    PYTHONDONTWRITEBYTECODE=1 python3 -c 'import flitscope; print("python: flitscope", flitscope.version())'
  man -l "$root_of_test/usr/share/man/man1/flitscope.1.gz" >/dev/null
  "$root_of_test/usr/bin/flitscope" claims meyer-sibeyn table-1-situation-1 >/dev/null
  say "remove"
  "${alone[@]}" --purge flitscope libflitscope-dev python3-flitscope >build/install.log 2>&1
fi
left=$(files_of_test)
[[ -z $left ]] || fail "left after removal:" "$left"
say "nothing is left"
