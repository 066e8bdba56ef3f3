'use strict';
// The flit trace played on the network, cycle by cycle. The trace is packed and decoded block by block, when a block
// is first needed (sim/report/page/replay_data.h defines the format).

/** Numbers of LEB128 out of bytes. */
class ByteReader {
  constructor(bytes, at) { this.bytes = bytes; this.at = at; }
  number() {
    let value = 0, weight = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 0x7f) * weight;
      weight *= 128;
    } while (byte >= 0x80);
    return value;
  }
  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** Things that last from a first to a last cycle, in blocks. `read(reader, cycle, message)` decodes one. */
class PackedIntervals {
  constructor(packed, blockSize, read) {
    this.index = packed.index;
    const text = atob(packed.bytes);
    this.bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) this.bytes[i] = text.charCodeAt(i);
    this.blockSize = blockSize;
    this.read = read;
    this.blocks = new Array(this.index.length);
  }
  block(i) {
    if (this.blocks[i]) return this.blocks[i];
    const reader = new ByteReader(this.bytes, this.index[i][2]);
    const end = i + 1 < this.index.length ? this.index[i + 1][2] : this.bytes.length;
    const items = [];
    let [cycle, message] = [this.index[i][0], 0];
    while (reader.at < end) {
      cycle += reader.number();
      message += reader.signed();
      items.push(this.read(reader, cycle, message));
    }
    this.blocks[i] = items;
    return items;
  }
  /** Calls `use` with everything that lasts in `cycle`. */
  at(cycle, use) {
    for (let i = 0; i < this.index.length && this.index[i][0] <= cycle; ++i) {
      if (this.index[i][1] < cycle) continue;
      for (const item of this.block(i)) {
        if (item.from > cycle) break;
        if (item.to >= cycle) use(item);
      }
    }
  }
}

const kBlock = 256;

/** [first cycle, flits] of each run, one after the other. */
function readPassage(reader, cycle, message) {
  const link = reader.number();
  const vc = reader.number();
  let at = cycle + reader.number();
  const held = reader.number();
  const count = reader.number();
  const runs = [];
  for (let i = 0; i < count; ++i) {
    const flits = reader.number() + 1;
    runs.push(at, flits);
    at += flits;
    if (i + 1 < count) at += reader.number() + 1;
  }
  return { from: cycle, to: (count === 0 ? cycle : at - 1) + held, message, link, vc, runs };
}

function readStall(reader, cycle, message) {
  const cycles = reader.number() + 1;
  return { from: cycle, to: cycle + cycles - 1, message, flit: reader.number(), link: reader.number() - 1,
    cause: reader.number(), culprit: reader.number() - 1 };
}

/** Whether a chunk is in a list of ranges. */
function holdsChunk(ranges, chunk) {
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i] <= chunk && chunk <= ranges[i + 1]) return true;
  }
  return false;
}

/** Where a chunk is at the start, with parts that are to be combined, and in which cycles it comes to which nodes. */
function wayOfChunk(replay, nodes, arrivals, chunk) {
  const { chunks, messages } = replay;
  const those = list => list.filter(([, ranges]) => holdsChunk(ranges, chunk)).map(([node]) => node);
  return {
    start: those(chunks.start),
    parts: chunks.parts === null ? d3.range(nodes) : those(chunks.parts),
    arrivals: arrivals.filter(message => holdsChunk(chunks.carried[message], chunk))
      .map(message => ({ cycle: messages.arrival[message], node: messages.destination[message] })),
  };
}

/** True if a flit leaves in this cycle. */
function movesIn(passage, cycle) {
  const { runs } = passage;
  for (let i = 0; i < runs.length && runs[i] <= cycle; i += 2) {
    if (cycle < runs[i] + runs[i + 1]) return true;
  }
  return false;
}

function replaySection(run) {
  const { replay, network } = run;
  const { messages, density } = replay;
  const part = section('replay', 'Replay',
    `The trace of ${whole(replay.events)} events. A line is a channel that a worm holds, a dot a flit that moves on it, ` +
    'a square a flit that stands still; the dashed line leads to whom a head waits for. Nodes fill when a message has arrived, or, if a chunk is named, when they have it.');
  const passages = new PackedIntervals(replay.passages, kBlock, readPassage);
  const stalls = new PackedIntervals(replay.stalls, kBlock, readStall);
  const label = i => `${messages.step[i]}.${messages.place[i]}`;
  const byLabel = new Map(messages.step.map((_, i) => [label(i), i]));
  const steps = [...new Set(messages.step)].sort(d3.ascending);
  const circle = new Set((run.result.deadlock?.circle ?? []).map(worm => byLabel.get(`${worm.step}.${worm.message}`)));
  const standstill = run.result.deadlock?.standstill_cycle ?? Infinity;
  // A message's arrivals in the order of time, for the nodes.
  const arrivals = d3.range(messages.step.length).filter(i => messages.arrival[i] !== null && messages.destination[i] !== null)
    .sort((a, b) => messages.arrival[a] - messages.arrival[b]);
  const sources = new Set(messages.source.filter((source, i) => source !== null && messages.step[i] === steps[0]));

  const state = { cycle: 0, playing: false, speed: 4, followed: -1, step: '', chunk: null, way: null };
  const canvas = element('canvas', { tabindex: 0, role: 'img', 'aria-label': 'The network; space plays and stops, arrows step' });
  const timeline = element('div', {});
  const slider = element('input', { type: 'range', class: 'slider', min: 0, max: replay.cycles, value: 0, 'aria-label': 'cycle',
    input: () => { state.cycle = Number(slider.value); stop(); draw(); } });
  const clock = element('output', { id: 'replay-cycle' });
  const status = element('p', { class: 'soft', id: 'replay-status' });
  const play = element('button', { type: 'button', id: 'replay-play', click: () => { state.playing ? stop() : start(); } }, 'Play');
  const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, click: action }, text);
  const follow = element('input', { type: 'text', id: 'replay-follow', size: 8, placeholder: '1.3', input: () => {
    state.followed = byLabel.get(follow.value.trim()) ?? -1;
    draw();
  } });
  const chunk = element('input', { type: 'number', id: 'replay-chunk', min: 0, max: (replay.chunks?.count ?? 1) - 1, placeholder: 'any',
    style: 'width: 6em', input: () => {
      const wanted = chunk.value.trim() === '' ? -1 : Number(chunk.value);
      state.chunk = Number.isInteger(wanted) && wanted >= 0 && wanted < replay.chunks.count ? wanted : null;
      state.way = state.chunk === null ? null : wayOfChunk(replay, network.nodes.x.length, arrivals, state.chunk);
      draw();
    } });
  const tools = element('div', { class: 'tools' }, play,
    button('|<', 'to the beginning', () => seek(0)), button('<', 'a cycle back', () => seek(Math.floor(state.cycle) - 1)),
    button('>', 'a cycle on', () => seek(Math.floor(state.cycle) + 1)), button('>|', 'to the end', () => seek(replay.cycles)),
    choice('cycles a second:', ['1', '4', '15', '60', '250', '1000'], '4', value => { state.speed = Number(value); }),
    steps.length > 1 ? choice('step:', [{ value: '', label: 'all' }, ...steps.map(String)], '', value => { state.step = value; draw(); }) : null,
    element('label', {}, 'follow message', follow), replay.chunks ? element('label', {}, 'nodes that have chunk', chunk) : null, element('span', {}, 'cycle ', clock, ` of ${whole(replay.cycles)}`));
  const drawing = element('div', { class: 'drawing' }, canvas);
  const player = element('div', { class: 'player' }, tools, drawing, status, timeline, slider);
  part.append(player);
  const many = network.links.from.length > kLinksDrawn;

  let scale = null, still = null, ratio = 1, lineOf = null;
  function layout() {
    const width = Math.max(300, drawing.clientWidth || 1000);
    scale = networkScale(network, width);
    ratio = window.devicePixelRatio || 1;
    canvas.width = scale.width * ratio;
    canvas.height = scale.height * ratio;
    canvas.style.width = `${scale.width}px`;
    lineOf = network.links.from.map((_, i) => linkLine(network, scale, i));
    still = document.createElement('canvas');
    still.width = canvas.width;
    still.height = canvas.height;
    const context = still.getContext('2d');
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = key => style.getPropertyValue(key).trim();
    if (!many) {
      context.strokeStyle = colour('--empty');
      context.beginPath();
      for (const line of lineOf) { context.moveTo(line.x1, line.y1); context.lineTo(line.x2, line.y2); }
      context.stroke();
    }
    context.fillStyle = colour('--panel');
    context.strokeStyle = colour('--line');
    const side = scale.unit * 0.34;
    for (let i = 0; i < network.nodes.x.length; ++i) {
      context.fillRect(scale.x(network.nodes.x[i]) - side / 2, scale.y(network.nodes.y[i]) - side / 2, side, side);
      if (!many) context.strokeRect(scale.x(network.nodes.x[i]) - side / 2, scale.y(network.nodes.y[i]) - side / 2, side, side);
    }
    context.fillStyle = colour('--soft');
    context.font = '12px system-ui, sans-serif';
    if (network.layers.length > 1) {
      for (const layer of network.layers) context.fillText(layer.name, scale.x(layer.x) - scale.unit * 0.3, scale.y(layer.y) - scale.unit * 0.55);
    }
    draw();
    drawTimeline(width);
  }

  const isWanted = message => state.step === '' || String(messages.step[message]) === state.step;

  function draw() {
    const cycle = Math.floor(state.cycle);
    const share = state.cycle - cycle;
    clock.textContent = whole(cycle);
    slider.value = cycle;
    const context = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink').trim();
    const faint = style.getPropertyValue('--line').trim();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(still, 0, 0);
    context.scale(ratio, ratio);
    const chunkWords = state.way ? drawChunk(context, cycle) : drawNodes(context, cycle);
    let held = 0, moving = 0, standing = 0;
    const heads = new Map();
    const load = many ? new Float64Array(network.nodes.x.length) : null;
    const width = Math.max(1.2, scale.unit * 0.055);
    const dots = [];
    passages.at(cycle, passage => {
      if (!isWanted(passage.message)) return;
      ++held;
      const moves = movesIn(passage, cycle);
      if (moves) ++moving;
      if (load) { ++load[network.links.from[passage.link]]; return; }
      const line = lineOf[passage.link];
      const before = heads.get(passage.message);
      if (!before || passage.from > before.from) heads.set(passage.message, passage);
      const isFaint = state.followed >= 0 && passage.message !== state.followed;
      const inCircle = cycle >= standstill && circle.has(passage.message);
      context.strokeStyle = isFaint ? faint : colourOf(passage.message);
      context.lineWidth = width * (inCircle ? 2.6 : passage.message === state.followed ? 2 : 1.2);
      context.beginPath();
      context.moveTo(line.x1, line.y1);
      context.lineTo(line.x2, line.y2);
      context.stroke();
      if (moves && !isFaint) dots.push(line);
    });
    context.fillStyle = ink;
    const radius = Math.max(1.2, width * 1.1);
    for (const line of dots) {
      context.beginPath();
      context.arc(line.x1 + (line.x2 - line.x1) * share, line.y1 + (line.y2 - line.y1) * share, radius, 0, 2 * Math.PI);
      context.fill();
    }
    if (load) drawLoad(context, load);
    let words = '';
    stalls.at(cycle, stall => {
      if (!isWanted(stall.message)) return;
      ++standing;
      if (stall.message === state.followed) {
        words = ` Message ${label(stall.message)}: flit ${stall.flit} waits, ${kCauses[stall.cause]}` +
          (stall.culprit >= 0 ? ` because of ${label(stall.culprit)}.` : '.');
      }
      if (load) return;
      if (state.followed >= 0 && stall.message !== state.followed) return;
      const node = stall.link >= 0 ? network.links.from[stall.link] : messages.destination[stall.message];
      if (node === null || node === undefined) return;
      const at = stall.link >= 0 ? { x: lineOf[stall.link].x1, y: lineOf[stall.link].y1 }
        : { x: scale.x(network.nodes.x[node]), y: scale.y(network.nodes.y[node]) };
      const size = Math.max(2, width * 1.5);
      context.fillStyle = colourOf(stall.message);
      context.strokeStyle = ink;
      context.lineWidth = 1;
      context.fillRect(at.x - size, at.y - size, 2 * size, 2 * size);
      context.strokeRect(at.x - size, at.y - size, 2 * size, 2 * size);
      const culprit = stall.flit === 0 && stall.culprit >= 0 ? heads.get(stall.culprit) : undefined;
      if (culprit && (held < 400 || state.followed >= 0)) {
        const end = lineOf[culprit.link];
        context.setLineDash([4, 3]);
        context.beginPath();
        context.moveTo(at.x, at.y);
        context.lineTo(end.x2, end.y2);
        context.stroke();
        context.setLineDash([]);
      }
    });
    const nowDeadlocked = cycle >= standstill ? ' The circle stands still.' : '';
    status.textContent = `${counted(held, 'channel', 'channels')} held, ${counted(moving, 'flit moves', 'flits move')}, ` +
      `${standing === 1 ? '1 flit stands' : `${whole(standing)} flits stand`} still.${nowDeadlocked}${chunkWords}${words}`;
  }

  /** Nodes that have received a message, in the colour of the latest; sources of the first step from the start. */
  function drawNodes(context, cycle) {
    const side = scale.unit * 0.26;
    context.globalAlpha = 0.55;
    const fill = (node, colour) => {
      context.fillStyle = colour;
      context.fillRect(scale.x(network.nodes.x[node]) - side / 2, scale.y(network.nodes.y[node]) - side / 2, side, side);
    };
    for (const source of sources) fill(source, colourOf(6));
    for (const message of arrivals) {
      if (messages.arrival[message] > cycle) break;
      if (isWanted(message)) fill(messages.destination[message], colourOf(messages.step[message] - 1));
    }
    context.globalAlpha = 1;
    return '';
  }

  /** Nodes that have the chunk that is looked for; of one that is combined, those that have a part of it faintly. */
  function drawChunk(context, cycle) {
    const side = scale.unit * (many ? 0.92 : 0.26);
    const fill = node => context.fillRect(scale.x(network.nodes.x[node]) - side / 2, scale.y(network.nodes.y[node]) - side / 2, side, side);
    const { start, parts, arrivals } = state.way;
    context.fillStyle = colourOf(6);
    context.globalAlpha = 0.2;
    for (const node of parts) fill(node);
    context.globalAlpha = 0.75;
    const have = new Set(start);
    for (const { cycle: arrival, node } of arrivals) {
      if (arrival > cycle) break;
      have.add(node);
    }
    for (const node of have) fill(node);
    context.globalAlpha = 1;
    const nodes = `${whole(have.size)} of ${counted(network.nodes.x.length, 'node', 'nodes')}`;
    return parts.length > 0 ? ` Chunk ${state.chunk}: parts of others have come to ${nodes}.` : ` Chunk ${state.chunk} is at ${nodes}.`;
  }

  function drawLoad(context, load) {
    const most = d3.max(load) || 1;
    const side = Math.max(0.6, scale.unit * 0.92);
    for (let i = 0; i < load.length; ++i) {
      if (load[i] === 0) continue;
      context.fillStyle = heat(load[i] / most);
      context.fillRect(scale.x(network.nodes.x[i]) - side / 2, scale.y(network.nodes.y[i]) - side / 2, side, side);
    }
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
    timeline.append(legend([{ name: 'flits that move', colour: colourOf(4) }, { name: 'flits that stand still', colour: colourOf(5) }]));
  }

  function seek(cycle) {
    stop();
    state.cycle = Math.max(0, Math.min(replay.cycles, cycle));
    draw();
  }
  let before = 0;
  function frame(now) {
    if (!state.playing) return;
    state.cycle = Math.min(replay.cycles, state.cycle + (now - before) / 1000 * state.speed);
    before = now;
    draw();
    if (state.cycle >= replay.cycles) stop();
    else requestAnimationFrame(frame);
  }
  function start() {
    if (state.cycle >= replay.cycles) state.cycle = 0;
    state.playing = true;
    play.textContent = 'Stop';
    before = performance.now();
    requestAnimationFrame(frame);
  }
  function stop() {
    state.playing = false;
    play.textContent = 'Play';
  }
  canvas.addEventListener('keydown', event => {
    const actions = { ' ': () => (state.playing ? stop() : start()), ArrowRight: () => seek(Math.floor(state.cycle) + 1),
      ArrowLeft: () => seek(Math.floor(state.cycle) - 1), Home: () => seek(0), End: () => seek(replay.cycles) };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  });
  layout();
  // It opens where most is to be seen: the deadlock, most flits that stand still, or most that move.
  const crowded = density.stalled.some(value => value > 0) ? density.stalled : density.hops;
  seek(Number.isFinite(standstill) ? standstill : d3.scan(crowded, d3.descending) * density.width);
  redraws.push(layout);
}
