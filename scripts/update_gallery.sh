#!/usr/bin/env bash
# Takes the screenshots of docs/gallery.md anew: parts of reports, 1280 and 400 pixels wide, by Chromium.
# FLITSCOPE is the program, build/release/flitscope unless it is set.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=$(readlink -f "${FLITSCOPE:-$root/build/release/flitscope}")
pictures=$root/docs/pictures
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

# A run by the program, and its report; a deadlock has a report, too.
page() {  # DIRECTORY COMMAND..
  "$program" "${@:2}" --quiet --out "$1" || [ $? -eq 3 ]
  "$program" report "$1" >/dev/null
}

configs=$root/configs
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
