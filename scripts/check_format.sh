#!/usr/bin/env bash
# Are all sources formatted as .clang-format says, and free of the words in retired_words.txt? --fix formats them.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"

# Versions differ in details, so one is fixed: Debian 12's own.
formatter=clang-format-14

fix=no
while (($#)); do
  case $1 in
    -h | --help)
      echo "usage: scripts/check_format.sh [--fix] [--no-install]"
      exit
      ;;
    --fix)
      fix=yes
      shift
      ;;
    *)
      shared_option "$@" || fail "unknown argument $1"
      shift "$shared_words"
      ;;
  esac
done

need_packages "$formatter"
command -v "$formatter" >/dev/null || fail "$formatter is not installed."

mapfile -t files < <(find model params algorithms networks traffic routers sim examples tests bench -name '*.cpp' -o -name '*.h' | sort)
if [[ $fix == yes ]]; then
  exec "$formatter" -i "${files[@]}"
fi
mapfile -t wrong < <("$formatter" --dry-run "${files[@]}" 2>&1 |
  sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning:.*/\1/p' | sort -u)
if ((${#wrong[@]})); then
  fail "not formatted as .clang-format says (scripts/check_format.sh --fix does it):" "${wrong[@]}"
fi
say "format: ${#files[@]} files are in order"

# A table of renamed keys, the record of changes and settings of other programs may name what is retired.
mapfile -t retired < <(grep -vE '^(#|$)' scripts/retired_words.txt)
mapfile -t hits < <(grep -rnE --include='*.'{h,cpp,js,py,sh,cmake,md,txt,yaml} \
  -e "$(IFS='|'; printf '%s' "${retired[*]}")" model params algorithms networks traffic routers sim examples bench docs \
  python cmake configs README.md CONTRIBUTING.md | grep -v '^params/key_names.cpp:' || true)
if ((${#hits[@]})); then
  fail "words that scripts/retired_words.txt retires:" "${hits[@]}"
fi
say "words: ${#retired[@]} retired ones are in no file"
