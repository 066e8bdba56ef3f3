#!/usr/bin/env bash
# Puts the program's own tables into the pages of docs/: what `flitscope ARGUMENTS` prints, between
# "<!-- flitscope ARGUMENTS -->" and "<!-- end -->".
#
#   scripts/update_docs.sh           writes the pages
#   scripts/update_docs.sh --check   writes nothing; exit code 1 if a page is not up to date
#
# FLITSCOPE is the program, build/release/flitscope unless it is set.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=${FLITSCOPE:-$root/build/release/flitscope}
check=no
if [[ ${1:-} == --check ]]; then check=yes; fi
new=$(mktemp)
trap 'rm -f "$new"' EXIT

stale=0
for page in "$root"/docs/*.md; do
  grep -q '^<!-- flitscope ' "$page" || continue
  while IFS= read -r line; do
    if [[ $line == '<!-- end -->' ]]; then inside=; fi
    if [[ -z ${inside:-} ]]; then printf '%s\n' "$line"; fi
    if [[ $line =~ ^'<!-- flitscope '(.*)' -->'$ ]]; then
      read -ra arguments <<<"${BASH_REMATCH[1]}"
      "$program" "${arguments[@]}"
      inside=yes
    fi
  done <"$page" >"$new"
  if cmp -s "$new" "$page"; then continue; fi
  stale=1
  if [[ $check == yes ]]; then
    printf '%s is not up to date; run scripts/update_docs.sh\n' "${page#"$root"/}" >&2
  else
    cat "$new" >"$page"
  fi
done
if [[ $check == yes ]]; then exit "$stale"; fi
