#!/usr/bin/env bash
# clang-tidy on our sources, as .clang-tidy says, and shellcheck on our scripts.
set -euo pipefail
# shellcheck source=scripts/prepare.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/prepare.sh"

usage() {
  cat <<'USAGE'
usage: scripts/lint.sh [PATH...] [--jobs N] [--no-install]

Checks the sources below PATH (default: model params algorithms networks traffic routers sim); tests, bench and examples may be named.
A file that passed is not checked again until it, a header of ours or .clang-tidy changes.
USAGE
}

# Debian 12's default, clang-tidy 14, cannot read the <ranges> of g++ 12.
linter=clang-tidy-19

paths=()
while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit
      ;;
    -[!-]* | --*)
      shared_option "$@" || fail "unknown argument $1"
      shift "$shared_words"
      ;;
    *)
      paths+=("${1%/}")
      shift
      ;;
  esac
done
if ((${#paths[@]} == 0)); then paths=(model params algorithms networks traffic routers sim); fi

need_packages "${build_packages[@]}" "$linter" shellcheck
for tool in "$linter" shellcheck; do
  command -v "$tool" >/dev/null || fail "$tool is not installed."
done

status=0
mapfile -t shell_scripts < <(find quickstart.sh test.sh .ci/run scripts tests \( -name '*.sh' -o -name run \) -type f)
shellcheck --external-sources "${shell_scripts[@]}" >&2 || status=1

configure lint always  # a new source must not be missed
sed -i 's/ -fno-tree-loop-distribute-patterns//g' build/lint/compile_commands.json  # clang does not know it
cmake --build build/lint --target generated/sim/formats/foreign/chakra.pb.h >/dev/null  # a source includes it
choose_jobs

passed=build/lint/passed
mkdir -p "$passed"
our_headers() { find model params algorithms networks traffic routers sim examples tests bench -name '*.h' -print0 | sort -z; }
common=$({ "$linter" --version; cat .clang-tidy; our_headers | xargs -0 -r sha256sum; } | sha256sum)

# The key under which a file's success is remembered.
key_of() { { printf '%s\n' "$common" "$1"; cat "$1"; } | sha256sum | cut -d ' ' -f 1; }

# Sources that are compiled and lie below one of the paths, unless they passed already.
todo=()
total=0
while IFS= read -r file; do
  for path in "${paths[@]}"; do
    if [[ $file == "$path" || $file == "$path"/* ]]; then
      total=$((total + 1))
      if [[ ! -e $passed/$(key_of "$file") ]]; then todo+=("$file"); fi
      break
    fi
  done
done < <(sed -n "s|^ *\"file\": \"$root/\(.*\)\",*\$|\1|p" build/lint/compile_commands.json | sort -u)
if ((total == 0)); then fail "no source of the build lies below ${paths[*]}"; fi

check() {
  local file=$1 log
  log=$passed/$(key_of "$file")
  if "$linter" --quiet -p build/lint "$file" >"$log.log" 2>&1; then
    mv "$log.log" "$log"
  else
    # One write, so that the findings of two files do not mix.
    printf '%s\n' "$(grep -vE '^[0-9]+ warnings? (and|generated|treated)' "$log.log")" >&2
    rm -f "$log.log"
    return 1
  fi
}
export -f check key_of
export linter passed common

if ((${#todo[@]})); then
  say "clang-tidy: checking ${#todo[@]} of $total files"
  # shellcheck disable=SC2016
  printf '%s\0' "${todo[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'check "$1"' check || status=1
fi
if ((status)); then fail "lint: there are findings"; fi
say "lint: $total files are in order"
