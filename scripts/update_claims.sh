#!/usr/bin/env bash
# Puts a paper's table of claims, measured over the whole ranges, into its page of the documentation:
#   scripts/update_claims.sh PAPER [PROGRAM]
# between the lines "<!-- claims: begin -->" and "<!-- claims: end -->" of docs/papers/PAPER.md.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
paper=${1:?usage: scripts/update_claims.sh PAPER [PROGRAM]}
program=${2:-$root/build/release/flitscope}
page=$root/docs/papers/$paper.md
[[ -f $page ]] || { echo "there is no $page" >&2; exit 2; }
for marker in begin end; do
  grep -qxF "<!-- claims: $marker -->" "$page" ||
    { echo "$page has no line <!-- claims: $marker -->" >&2; exit 2; }
done

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$program" claims "$paper" --full --markdown >"$table"
awk -v table="$table" '
  $0 == "<!-- claims: end -->" { while ((getline line < table) > 0) print line; inside = 0 }
  !inside { print }
  $0 == "<!-- claims: begin -->" { inside = 1 }
' "$page" >"$page.new"
mv "$page.new" "$page"
