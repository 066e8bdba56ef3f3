#!/usr/bin/env bash
# Puts what `flitscope validate` finds into docs/validation.md, between "<!-- validate: begin -->" and
# "<!-- validate: end -->".
# FLITSCOPE is the program, build/release/flitscope unless it is set.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=${FLITSCOPE:-$root/build/release/flitscope}
page=$root/docs/validation.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root"
"$program" validate configs/booksim/machine.yaml configs/booksim/booksim2.csv >"$work/tables"
awk -v tables="$work/tables" '
  $0 == "<!-- validate: end -->" { while ((getline line < tables) > 0) print line; inside = 0 }
  !inside { print }
  $0 == "<!-- validate: begin -->" { inside = 1 }
' "$page" >"$work/page"
cp "$work/page" "$page"
