#!/usr/bin/env bash
# Writes the measurements of `flitscope claims` to their records:
#   scripts/update_claims.sh PAPER [CLAIM...]           the whole ranges, into docs/papers/PAPER.md: everything between
#                                                       "<!-- claims: begin -->" and "<!-- claims: end -->", or only
#                                                       the rows of these claims (then look at the totals)
#   scripts/update_claims.sh --check PAPER [CLAIM...]   the same measured; prints the differences from the page
#   scripts/update_claims.sh --quick PAPER              the selection of sizes that the tests measure, into
#                                                       tests/claims/quick/PAPER.json
# FLITSCOPE is the program, build/release/flitscope unless it is set; flitscope-claims must be built beside it.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=${FLITSCOPE:-$root/build/release/flitscope}
mode=update
case ${1-} in
  --check | --quick) mode=${1#--}; shift ;;
esac
paper=${1:?usage: scripts/update_claims.sh [--check | --quick] PAPER [CLAIM...]}
shift

if [[ $mode == quick ]]; then
  record=$root/tests/claims/quick/$paper.json
  mkdir -p "$(dirname "$record")"
  "$program" claims "$paper" --json >"$record.new"
  mv "$record.new" "$record"
  exit
fi

page=$root/docs/papers/$paper.md
[[ -f $page ]] || { echo "there is no $page" >&2; exit 2; }
for marker in begin end; do
  grep -qxF "<!-- claims: $marker -->" "$page" ||
    { echo "$page has no line <!-- claims: $marker -->" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$page" "$work/page"
if (($# == 0)); then
  "$program" claims "$paper" --full --markdown >"$work/tables"
  awk -v tables="$work/tables" '
    $0 == "<!-- claims: end -->" { while ((getline line < tables) > 0) print line; inside = 0 }
    !inside { print }
    $0 == "<!-- claims: begin -->" { inside = 1 }
  ' "$page" >"$work/page"
fi
for claim; do
  "$program" claims "$paper" "$claim" --full --markdown | tail -n 1 >"$work/row"
  grep -qF "| \`$claim\` |" "$page" || { echo "$page has no row of $claim" >&2; exit 2; }
  awk -v row="$work/row" -v start="| \`$claim\` |" '
    index($0, start) == 1 { getline < row }
    { print }
  ' "$work/page" >"$work/next"
  mv "$work/next" "$work/page"
done

if [[ $mode == check ]]; then
  diff -u "$page" "$work/page"
else
  cp "$work/page" "$page"
fi
