#!/usr/bin/env bash
# Puts what `flitscope validate` finds into docs/validation.md: of BookSim2's points between
# "<!-- validate: begin -->" and "<!-- validate: end -->", of those that bench/booksim_rules.cpp stands in for
# between "<!-- rules: begin -->" and "<!-- rules: end -->".
# FLITSCOPE is the program, build/release/flitscope unless it is set.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=${FLITSCOPE:-$root/build/release/flitscope}
page=$root/docs/validation.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root"
"$program" validate configs/booksim/machine.yaml configs/booksim/booksim2.csv >"$work/validate"
"$program" validate configs/booksim/machine.yaml configs/booksim/rules.csv | awk -F ' *[|] *' '
  BEGIN { print "| | offered | BookSim2\047s rules | ours + 2 | difference |\n|---|---|---|---|---|" }
  /^### / { machine = substr($0, 5) }
  /^[|] [0-9]/ { printf "| %s | %s | %s | %s | %s |\n", machine, $2, $3, $4, $5 }
' >"$work/rules"
for part in validate rules; do
  awk -v tables="$work/$part" -v begin="<!-- $part: begin -->" -v end="<!-- $part: end -->" '
    $0 == end { while ((getline line < tables) > 0) print line; inside = 0 }
    !inside { print }
    $0 == begin { inside = 1 }
  ' "$page" >"$work/page"
  cp "$work/page" "$page"
done
