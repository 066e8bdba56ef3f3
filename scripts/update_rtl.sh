#!/usr/bin/env bash
# Puts what `flitscope validate` finds for the configurations in configs/rtl into docs/rtl.md, between
# "<!-- rtl: begin -->" and "<!-- rtl: end -->". DATA is the folder with the packets of the RTL: NAME.csv.gz for each
# configuration, and their tables in traffic/.
# FLITSCOPE is the program, build/release/flitscope unless it is set.
set -euo pipefail

if [[ $# -ne 1 ]]; then
  echo "usage: scripts/update_rtl.sh DATA" >&2
  exit 2
fi
data=$(readlink -f "$1")
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=${FLITSCOPE:-$root/build/release/flitscope}
page=$root/docs/rtl.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root"
{
  echo "| configuration | | packets | load 0.05 | 0.2 | 0.45 | all | first divergence |"
  echo "|---|---|---|---|---|---|---|---|"
  for config in configs/rtl/*.yaml; do
    name=$(basename "$config" .yaml)
    what=$(sed -n '1s/^# \(.*\): configuration .*/\1/p' "$config")
    # Exit code 4: some packets differ.
    "$program" validate "$config" "$data/$name.csv.gz" >"$work/run" || [[ $? -eq 4 ]]
    awk -F ' *[|] *' -v name="$name" -v what="$what" '
      /^[|] .*-load/ {
        match($2, /-load[0-9.]+/); load = substr($2, RSTART + 5, RLENGTH - 5)
        packets[load] += $3; exact[load] += $4; all += $3; all_exact += $4
      }
      /^First divergence: / { first = substr($0, 19) }
      function share(some, of) { return sprintf("%.2f%%", int(some * 10000 / of) / 100) }
      END {
        printf "| [%s](../configs/rtl/%s.yaml) | %s | %d | %s | %s | %s | %s | %s |\n", name, name, what, all,
          share(exact["0.05"], packets["0.05"]), share(exact["0.2"], packets["0.2"]),
          share(exact["0.45"], packets["0.45"]), share(all_exact, all), first == "" ? "none" : first
      }
    ' "$work/run"
  done
} >"$work/table"
awk -v table="$work/table" '
  $0 == "<!-- rtl: end -->" { while ((getline line < table) > 0) print line; inside = 0 }
  !inside { print }
  $0 == "<!-- rtl: begin -->" { inside = 1 }
' "$page" >"$work/page"
cp "$work/page" "$page"
