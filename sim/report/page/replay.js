'use strict';
// The replay: plays the flit trace on the network, cycle by cycle.

/** Cycles in which nodes get a chunk; the nodes of `parts` have an operand of it from the start. */
function fillingOfChunk(replay, nodes, arrivals, chunk) {
  const { chunks, messages } = replay;
  const those = list => list.filter(([, ranges]) => holdsChunk(ranges, chunk)).map(([node]) => node);
  const filling = new Filling(nodes);
  for (const node of chunks.parts === null ? d3.range(nodes) : those(chunks.parts)) filling.base[node] = kHasPart;
  for (const node of those(chunks.start)) filling.base[node] = kHasChunk;
  for (const message of arrivals) {
    if (holdsChunk(chunks.carried[message], chunk)) filling.add(messages.arrival[message], messages.destination[message], kHasChunk);
  }
  return filling;
}

/** Nodes that have received a message, in the colour of its step; sources of the first step from the start. */
function fillingOfArrivals(messages, nodes, sources, arrivals) {
  const filling = new Filling(nodes);
  for (const node of sources) filling.base[node] = 6;
  for (const message of arrivals) {
    filling.add(messages.arrival[message], messages.destination[message], (messages.step[message] - 1) % kColourCount);
  }
  return filling;
}

function replaySection(run) {
  const { replay, network } = run;
  const { messages, density } = replay;
  const nodes = network.nodes.x.length;
  const isDense = network.links.from.length > kLinksDrawn;
  const part = section('replay', 'Replay', `The trace of ${whole(replay.events)} events. ` +
    (isDense ? 'A cell is a node, darker with more of its channels held by worms. '
      : 'A line is a channel that a worm holds, a dot a flit that moves on it, a square a stalled flit; the dashed line leads to the worm that a head waits for. ') +
    'Nodes fill when a message has arrived, or, if a chunk is named, when they have it.');
  const label = i => `${messages.step[i]}.${messages.place[i]}`;
  const byLabel = messageNumbers(messages);
  const steps = [...new Set(messages.step)].sort(d3.ascending);
  const none = new Set();
  const standstill = run.result.deadlock?.deadlocked_since_cycle ?? Infinity;
  // Messages in the order of arrival.
  const arrivals = d3.range(messages.step.length).filter(i => messages.arrival[i] !== null && messages.destination[i] !== null)
    .sort((a, b) => messages.arrival[a] - messages.arrival[b]);
  const sources = new Set(messages.source.filter((source, i) => source !== null && messages.step[i] === steps[0]));

  const state = { cycle: 0, playing: false, speed: 4, step: null, chunk: null, isCritical: false };
  const canvas = element('canvas', { tabindex: 0, role: 'img', 'aria-label': 'The network; space plays and stops, arrows step' });
  const drawing = isDense ? new DensityDrawing(run, canvas) : new WormDrawing(run, canvas);
  const dependencyCycle = new Set(drawing.inCycle);
  const critical = criticalMessages(run, byLabel);
  part.work = drawing.work;
  const timeline = element('div', {});
  const slider = element('input', { type: 'range', class: 'slider', min: 0, max: replay.cycles, value: 0, 'aria-label': 'cycle',
    input: () => seek(Number(slider.value)) });
  const clock = element('output', { id: 'replay-cycle' });
  const status = element('p', { class: 'soft', id: 'replay-status' });
  const play = element('button', { type: 'button', id: 'replay-play', click: () => { state.playing ? stop() : start(); } }, 'Play');
  const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, click: action }, text);
  const follow = element('input', { type: 'text', id: 'replay-follow', size: 8, placeholder: '1.3',
    input: () => change({ followed: byLabel.get(follow.value.trim()) ?? -1 }) });
  const chunk = element('input', { type: 'number', id: 'replay-chunk', min: 0, max: (replay.chunks?.count ?? 1) - 1, placeholder: 'any',
    style: 'width: 6em', input: () => {
      const wanted = chunk.value.trim() === '' ? -1 : Number(chunk.value);
      state.chunk = Number.isInteger(wanted) && wanted >= 0 && wanted < replay.chunks.count ? wanted : null;
      change({ filling: filling() });
    } });
  const stepChoice = steps.length === 1 ? null : choice('step:', [{ value: '', label: 'all' }, ...steps.map(String)], '', value => {
    state.step = value === '' ? null : Number(value);
    change({ step: state.step, filling: filling() });
  });
  const tools = element('div', { class: 'tools' }, play,
    button('|<', 'to the beginning', () => seek(0)), button('<', 'a cycle back', () => seek(Math.floor(state.cycle) - 1)),
    button('>', 'a cycle on', () => seek(Math.floor(state.cycle) + 1)), button('>|', 'to the end', () => seek(replay.cycles)),
    choice('cycles a second:', ['1', '4', '15', '60', '250', '1000'], '4', value => { state.speed = Number(value); }),
    stepChoice, element('label', {}, 'follow message', follow),
    critical.size === 0 ? null : tick('critical path', false, checked => { state.isCritical = checked; draw(); }),
    replay.chunks ? element('label', {}, 'nodes that have chunk', chunk) : null, element('span', {}, 'cycle ', clock, ` of ${whole(replay.cycles)}`));
  const scroller = element('div', { class: 'drawing' }, canvas);
  part.append(element('div', { class: 'player' }, tools, scroller, status, timeline, slider));

  function filling() {
    if (state.chunk !== null) return fillingOfChunk(replay, nodes, arrivals, state.chunk);
    return fillingOfArrivals(messages, nodes, sources,
      state.step === null ? arrivals : arrivals.filter(message => messages.step[message] === state.step));
  }

  function layout() {
    const width = Math.max(300, scroller.clientWidth || 1000);
    drawing.layout(width);
    draw();
    drawTimeline(width);
  }

  /** Changes the view of the same cycle. */
  function change(view) {
    drawing.change(view);
    draw();
  }

  function draw() {
    const cycle = Math.floor(state.cycle);
    const wide = cycle >= standstill ? dependencyCycle : state.isCritical ? critical : none;
    if (drawing.view.dependencyCycle !== wide) drawing.change({ dependencyCycle: wide });
    const isNew = drawing.cycle !== cycle;
    drawing.show(cycle, state.cycle - cycle);
    if (!isNew) return;
    clock.textContent = whole(cycle) + timeText(cycle);
    slider.value = cycle;
    status.textContent = words(cycle);
  }

  function words(cycle) {
    const { held, moving, standing, stall } = drawing.seen;
    return `${counted(held, 'channel', 'channels')} held, ${counted(moving, 'flit moves', 'flits move')}, ` +
      `${counted(standing, 'flit is', 'flits are')} stalled.` +
      (cycle >= standstill ? ' The dependency cycle is deadlocked.' : '') + wordsOfChunk() + (stall === null ? '' : wordsOfStall(stall));
  }
  function wordsOfChunk() {
    if (state.chunk === null) return '';
    const those = `${whole(drawing.seen.filled)} of ${counted(run.result.nodes, 'node', 'nodes')}`;
    return drawing.view.filling.base.includes(kHasPart) ? ` Chunk ${state.chunk}: parts of others have come to ${those}.`
      : ` Chunk ${state.chunk} is at ${those}.`;
  }
  function wordsOfStall(item) {
    const [block, at] = [drawing.stalls.block(item), item & (kBlock - 1)];
    return ` Message ${label(block.message[at])}: flit ${block.flit[at]} waits, ${kCauses[block.cause[at]]}` +
      (block.culprit[at] >= 0 ? ` because of ${label(block.culprit[at])}.` : '.');
  }

  function drawTimeline(width) {
    timeline.replaceChildren();
    const height = 46;
    const svg = d3.select(timeline).append('svg').attr('width', width).attr('height', height).attr('role', 'img')
      .attr('aria-label', 'Stalled flits and moving flits over time');
    const count = density.stalled.length;
    const x = d3.scaleLinear().domain([0, count]).range([8, width - 8]);
    const y = d3.scaleLinear().domain([0, d3.max([...density.stalled, ...density.hops]) || 1]).range([height - 2, 2]);
    const steps = d3.area().x((_, i) => x(i)).y0(y(0)).y1(y).curve(d3.curveStepAfter);
    const area = values => steps([...values, values[count - 1]]);
    svg.append('path').attr('d', area(density.hops)).attr('fill', colourOf(4)).attr('opacity', 0.5);
    svg.append('path').attr('d', area(density.stalled)).attr('fill', colourOf(5)).attr('opacity', 0.75);
    timeline.append(legend([...drawing.legend(), { name: 'flits that move', colour: colourOf(4) }, { name: 'stalled flits', colour: colourOf(5) }]));
  }

  function seek(cycle) {
    stop();
    state.cycle = Math.max(0, Math.min(replay.cycles, cycle));
    draw();
  }
  let before = 0, next = 0;
  function frame(now) {
    state.cycle = Math.min(replay.cycles, state.cycle + (now - before) / 1000 * state.speed);
    before = now;
    draw();
    if (state.cycle >= replay.cycles) stop();
    else next = requestAnimationFrame(frame);
  }
  function start() {
    if (state.cycle >= replay.cycles) state.cycle = 0;
    state.playing = true;
    play.textContent = 'Stop';
    before = performance.now();
    next = requestAnimationFrame(frame);
  }
  function stop() {
    state.playing = false;
    cancelAnimationFrame(next);
    play.textContent = 'Play';
  }
  canvas.addEventListener('keydown', event => {
    const actions = { ' ': () => (state.playing ? stop() : start()), ArrowRight: () => seek(Math.floor(state.cycle) + 1),
      ArrowLeft: () => seek(Math.floor(state.cycle) - 1), Home: () => seek(0), End: () => seek(replay.cycles) };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  });
  drawing.change({ filling: filling() });
  layout();
  // The replay begins at the deadlock, at most stalled flits, or at most moving flits.
  const crowded = density.stalled.some(value => value > 0) ? density.stalled : density.hops;
  seek(Number.isFinite(standstill) ? standstill : d3.scan(crowded, d3.descending) * density.width);
  redraws.push(layout);
}
