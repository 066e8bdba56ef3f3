#!/usr/bin/env bash
# Frames a second of a report's replay in headless Chromium's own measure:
#   bench/replay_frames.sh REPORT [CYCLES_A_SECOND] [SECONDS] [FIRST_CYCLE]
# A frame is what the browser asks the page to draw, 60 times a second at most. Says how many there were, how long they
# lasted, what of that time our script and the page's thread had, and what was drawn. The machine should be quiet.
set -euo pipefail
page=$1 speed=${2:-60} seconds=${3:-10} first=${4:-0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/probe.html" <<END
<script>
(() => {
  const ask = window.requestAnimationFrame.bind(window), spent = [], thread = [], frames = [];
  const channel = new MessageChannel();
  let begun = null;
  channel.port1.onmessage = () => { thread.push(performance.now() - begun); };
  window.requestAnimationFrame = act => ask(now => {
    const begin = begun = performance.now();
    channel.port2.postMessage(0);
    act(now);
    spent.push(performance.now() - begin);
  });
  const set = (field, value, event) => { field.value = value; field.dispatchEvent(new Event(event)); };
  const work = document.getElementById('replay').work;
  const share = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(part * (values.length - 1))];
  const ms = values => [0.5, 0.95, 1].map(part => share(values, part).toFixed(1)).join(', ');
  function count(now) {
    frames.push(now);
    if (now - frames[0] < 1000 * $seconds && document.getElementById('replay-play').textContent === 'Stop') return ask(count);
    const gaps = frames.slice(1).map((frame, i) => frame - frames[i]);
    const cycles = work.cycles - before.cycles;
    console.log('frames: ' + (1000 * gaps.length / (now - frames[0])).toFixed(1) + ' a second, ' + gaps.length + ' in all; ' +
      'ms from one to the next: ' + ms(gaps) + '; of the script: ' + ms(spent) + '; of the page\'s thread: ' + ms(thread) + ' (median, 95%, longest); ' + cycles +
      ' cycles shown, for one of them ' + Object.keys(work).slice(1).map(key => ((work[key] - before[key]) / cycles).toFixed(1) + ' ' + key).join(', '));
    return undefined;
  }
  const choice = [...document.querySelectorAll('#replay select')].find(select => [...select.options].some(option => option.value === '60'));
  if (![...choice.options].some(option => option.value === '$speed')) choice.append(new Option('$speed', '$speed'));
  set(document.querySelector('#replay .slider'), $first, 'input');
  set(choice, '$speed', 'change');
  document.getElementById('replay').scrollIntoView();
  let before;
  setTimeout(() => {
    before = { ...work };
    document.getElementById('replay-play').click();
    ask(count);
  }, 1000);
})();
</script>
</body>
END
# The page ends with its last </body>.
tail -c 200 "$page" >"$folder/tail"
grep -q '</body>' "$folder/tail" || { echo "$page: no page" >&2; exit 2; }
{ head -c -200 "$page"; sed '/<\/body>/{
r '"$folder/probe.html"'
d
}' "$folder/tail"; } >"$folder/page.html"
chromium --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run --window-size=1100,900 \
    --user-data-dir="$folder/profile" --remote-debugging-port=0 --enable-logging=stderr "file://$folder/page.html" \
    >"$folder/log" 2>&1 &
browser=$!
trap 'kill "$browser" 2>/dev/null; wait "$browser" 2>/dev/null || true; sleep 0.2; rm -rf "$folder"' EXIT
for ((i = 0; i < 10 * (seconds + 60); ++i)); do
  if grep -q CONSOLE "$folder/log"; then break; fi
  sleep 0.1
done
grep -o 'CONSOLE.*' "$folder/log" | sed 's/^[^"]*"//; s/", source.*//' || { cat "$folder/log" >&2; exit 1; }
