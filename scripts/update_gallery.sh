#!/usr/bin/env bash
# Makes the pictures of docs/gallery.md and docs/networks.md anew, by Chromium: parts of reports, 1280 and 400 pixels wide, and
# the drawing of each network that docs/networks.md shows. With names, only these: `update_gallery.sh network-slim-fly`.
# FLITSCOPE is the program, build/release/flitscope unless it is set.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=$(readlink -f "${FLITSCOPE:-$root/build/release/flitscope}")
pictures=$root/docs/pictures
names=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

browse() {  # WIDTH HEIGHT [OPTION]: the frame of a page
  chromium --headless --no-sandbox --disable-gpu --disable-background-networking --hide-scrollbars \
    --allow-file-access-from-files --user-data-dir="$work/profile" --virtual-time-budget=4000 \
    --window-size="$1,$2" "${@:3}" "file://$work/frame.html" 2>/dev/null
}

# Screenshots of the parts of a page that a CSS selector names.
picture() {  # NAME DIRECTORY SELECTOR
  local page=$work/$2/part.html width height
  sed "s|</head>|<style>main > :not($3) { display: none } main { padding-bottom: 20px } h2 { margin-top: 0; border: 0 }</style>&|
    s|</body>|<script>parent.postMessage(document.querySelector('main').offsetHeight, '*')</script>&|" \
    "$2/report.html" >"$page"
  for width in 1280 400; do
    cat >"$work/frame.html" <<EOF
<body style="margin: 0"><iframe src="file://$page" style="border: 0; width: ${width}px; height: 6000px"></iframe>
<script>onmessage = event => { document.body.dataset.height = event.data; }</script></body>
EOF
    height=$(browse "$width" 1000 --dump-dom | grep -o 'data-height="[0-9]*"' | tr -dc 0-9)
    browse "$width" "$height" --screenshot="$pictures/report-$1-$width.png" >/dev/null
  done
}

# Whether a picture is to be made.
wanted() {  # NAME
  [[ ${#names[@]} -eq 0 || " ${names[*]} " == *" $1 "* ]]
}

# The drawing of a network, as the page saves it.
drawing() {  # NAME
  wanted "network-$1" || return 0
  page "$1" run "$configs/networks/$1.yaml"
  sed "s|</body>|<script>document.body.textContent = svgText(document.querySelector('#network svg'))</script>&|" \
    "$1/report.html" >"$work/frame.html"
  browse 1280 1000 --dump-dom | python3 -c "
import html, re, sys
print(html.unescape(re.search(r'<body[^>]*>(.*)</body>', sys.stdin.read(), re.S)[1]), end='')" >"$pictures/network-$1.svg"
}

# A run by the program, and its report; a deadlock has a report, too.
page() {  # DIRECTORY COMMAND..
  "$program" "${@:2}" --quiet --out "$1" || [ $? -eq 3 ]
  "$program" report "$1" >/dev/null
}

configs=$root/configs
for network in fat-tree dragonfly hyperx concentrated-mesh twisted-torus chiplets slim-fly jellyfish xpander butterfly \
  flattened-butterfly folded-torus express-cube seven-routers mesh-dead-link ring-anynet; do
  drawing "$network"
done
if [[ ${#names[@]} -gt 0 ]]; then exit; fi

page hot run "$configs/hot-spot.yaml" --set 'observe={messages: true, trace: binary}'
page broadcast run "$configs/quickstart.yaml"
page why run "$configs/hot-spot.yaml" --why '[1, 0]+0' >/dev/null
page traffic run "$configs/uniform-mesh-8x8.yaml" --set observe.messages=true
page ring run "$configs/deadlock-ring.yaml" --set observe.trace=binary
page transpose run "$configs/uniform-mesh-8x8.yaml" --set 'topology.shape=[128, 128]' \
  --set 'workload={traffic: transpose, load: 0.01, message: 64, seed: 1, warmup: 0, measure: 60}' \
  --set observe.trace=binary
page dragonfly run "$configs/networks/dragonfly.yaml" --set observe.trace=binary
page hiding run "$configs/latency-hiding.yaml" --set observe.messages=true
page lengths sweep "$configs/sweeps/message-lengths.yaml"
page curve load "$configs/uniform-mesh-8x8.yaml"

picture run hot 'header, #steps, #stalls, #network'
picture channels broadcast '#network'
picture why why '#why'
picture latency traffic '#latency'
picture deadlock ring 'header, #deadlock, #network'
picture replay hot '#replay'
picture graph dragonfly '#replay'
picture density transpose '#replay'
picture circuits hiding '#network, #latency'
picture sweep lengths 'header, section:first-of-type'
picture load curve 'header, #latency, #accepted'
