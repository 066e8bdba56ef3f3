'use strict';
// The replay's picture. The ground, channels and nodes as they are filled, is kept, and of it only nodes that change are
// drawn anew; on it lie worms, stalls and flits. Work is per channel and node that shows something, not per event, and
// nothing is allocated for a cycle.

const kColourCount = kColours.length;
const kFaint = kColourCount;
/** Ranks of worms on a channel: the one with the highest is drawn. Their lines' widths, in those of a channel. */
const kRanks = { plain: 0, circle: 1, followed: 2, followedInCircle: 3 };
const kWidths = [1.2, 2.6, 2, 2.6];
const kLoadColours = 64;

/** Nodes that fill with time: styles[i] for nodes[i] from cycles[i] on, in the order of cycles; `base` before all. */
class Filling {
  constructor(nodes) {
    this.base = new Int8Array(nodes).fill(-1);
    this.cycles = [];
    this.nodes = [];
    this.styles = [];
  }
  add(cycle, node, style) {
    this.cycles.push(cycle);
    this.nodes.push(node);
    this.styles.push(style);
  }
}
/** Styles of nodes: the colour of a step, or of a chunk: a part of it, all of it. */
const kHasPart = kColourCount, kHasChunk = kColourCount + 1;

class ReplayDrawing {
  constructor(run, canvas) {
    this.network = run.network;
    this.messages = run.replay.messages;
    /** What it took so far: cycles shown, blocks decoded, things that last and were looked at, marks drawn. */
    this.work = { cycles: 0, blocks: 0, items: 0, marks: 0 };
    this.passages = new Lasting(run.replay.passages, PassageBlock, this.work);
    this.stalls = new Lasting(run.replay.stalls, StallBlock, this.work);
    const nodes = this.network.nodes.x.length, links = this.network.links.from.length;
    this.isDense = links > kLinksDrawn;
    this.canvas = canvas;
    this.lines = new Float32Array(4 * links);
    this.styleOfLink = new Int8Array(links);
    this.colourOfStall = new Int8Array(links + nodes);
    this.headOf = new Int32Array(this.messages.step.length).fill(-1);
    this.linksOfFlits = new Int32Array(links);
    this.wantedFill = new Int8Array(nodes);
    this.shownFill = new Int8Array(nodes);
    this.load = this.isDense ? new Int32Array(nodes) : null;
    this.view = { followed: -1, step: null, circle: new Set(), filling: new Filling(nodes) };
    /** What is seen in the cycle that is shown. */
    this.seen = { held: 0, moving: 0, standing: 0, filled: 0, stall: null };
    this.cycle = null;
  }

  /** Sizes, colours, and what stands still. */
  layout(width) {
    this.scale = networkScale(this.network, width);
    const ratio = window.devicePixelRatio || 1;
    this.ratio = ratio;
    this.canvas.width = Math.ceil(this.scale.width * ratio);
    this.canvas.height = Math.ceil(this.scale.height * ratio);
    this.canvas.style.width = `${this.canvas.width / ratio}px`;
    const context = this.canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    context.scale(ratio, ratio);
    this.lineWidth = Math.max(1.2, this.scale.unit * 0.055);
    const style = getComputedStyle(document.documentElement);
    const colour = key => style.getPropertyValue(key).trim();
    this.ink = colour('--ink');
    [this.inkPoint, this.paper, this.panel] = ['--ink', '--paper', '--panel'].map(key => pointOf(colour(key)));
    this.colours = [...kColours, colour('--line')].map(pointOf);
    this.network.links.from.forEach((_, i) => {
      const { x1, y1, x2, y2 } = linkLine(this.network, this.scale, i);
      this.lines.set([x1, y1, x2, y2], 4 * i);
    });
    this.loadColours = Uint32Array.from({ length: kLoadColours + 1 }, (_, i) => pointOf(heat(i / kLoadColours)));
    this.drawGround(context, colour);
    this.ground = new Points(context);
    this.picture = new Points(context);
    this.shownFill.fill(-1);
    this.cycle = null;
  }

  /** What stands still. */
  drawGround(context, colour) {
    const { network, scale, lines } = this;
    context.fillStyle = colour('--paper');
    context.fillRect(0, 0, scale.width + 1, scale.height + 1);
    if (!this.isDense) {
      context.strokeStyle = colour('--empty');
      context.beginPath();
      for (let i = 0; i < lines.length; i += 4) {
        context.moveTo(lines[i], lines[i + 1]);
        context.lineTo(lines[i + 2], lines[i + 3]);
      }
      context.stroke();
    }
    context.fillStyle = colour('--panel');
    context.strokeStyle = colour('--line');
    const side = scale.unit * 0.34;
    for (let i = 0; i < network.nodes.x.length; ++i) {
      const x = scale.x(network.nodes.x[i]) - side / 2, y = scale.y(network.nodes.y[i]) - side / 2;
      context.fillRect(x, y, side, side);
      if (!this.isDense) context.strokeRect(x, y, side, side);
    }
    context.fillStyle = colour('--soft');
    context.font = '12px system-ui, sans-serif';
    if (network.layers.length > 1) {
      for (const layer of network.layers) {
        context.fillText(layer.name, scale.x(layer.x) - scale.unit * 0.3, scale.y(layer.y) - scale.unit * 0.55);
      }
    }
  }

  /** What is to be seen has changed: `view` has what is to change. */
  change(view) {
    Object.assign(this.view, view);
    this.cycle = null;
  }

  /** Shows a cycle, of which `share` has passed. */
  show(cycle, share) {
    if (cycle === this.cycle && this.isDense) return;  // no flit is seen on its way
    if (cycle !== this.cycle) {
      this.seekNodes(cycle);
      this.seekWorms(cycle);
      this.seekStalls(cycle);
      this.cycle = cycle;
      ++this.work.cycles;
    }
    this.picture.copy(this.ground);
    if (this.isDense) {
      this.drawLoad();
    } else {
      this.drawWorms();
      this.drawStalls();
      this.drawFlits(share);
    }
    this.picture.show();
    if (!this.isDense && (this.seen.held < 400 || this.view.followed >= 0)) this.drawWaiting();
  }

  isWanted(message) {
    return this.view.step === null || this.messages.step[message] === this.view.step;
  }

  // --- Nodes -----------------------------------------------------------------------------------------------------

  /** A square about a node, `share` of the room that it has. */
  drawNode(picture, node, share, colour) {
    const { scale, ratio, network } = this;
    picture.square(scale.x(network.nodes.x[node]) * ratio, scale.y(network.nodes.y[node]) * ratio, scale.unit * share * ratio, colour);
  }

  /** Nodes that have something, on the ground. */
  seekNodes(cycle) {
    const { filling } = this.view;
    const { wantedFill, shownFill } = this;
    if (this.cycle === null || cycle < this.cycle) {
      wantedFill.set(filling.base);
      this.filled = 0;
    }
    for (; this.filled < filling.cycles.length && filling.cycles[this.filled] <= cycle; ++this.filled) {
      wantedFill[filling.nodes[this.filled]] = filling.styles[this.filled];
    }
    this.seen.filled = 0;
    for (let node = 0; node < wantedFill.length; ++node) {
      const style = wantedFill[node];
      if (style === kHasChunk) ++this.seen.filled;
      if (style === shownFill[node]) continue;
      const ofChunk = style >= kHasPart || shownFill[node] >= kHasPart;
      if (this.isDense && ofChunk) this.drawNode(this.ground, node, 0.92, this.paper);
      this.drawNode(this.ground, node, this.isDense ? 0.34 : 0.26, this.panel);
      if (style >= 0) {
        const share = style === kHasPart ? 0.2 : style === kHasChunk ? 0.75 : 0.55;
        this.drawNode(this.ground, node, this.isDense && ofChunk ? 0.92 : 0.26,
          mixed(this.colours[style >= kHasPart ? 6 : style], this.panel, share));
      }
      shownFill[node] = style;
      ++this.work.marks;
    }
  }

  // --- Worms -----------------------------------------------------------------------------------------------------

  seekWorms(cycle) {
    const { passages, seen, styleOfLink, view } = this;
    passages.seek(cycle);
    this.work.items += passages.count;
    seen.held = seen.moving = this.flits = 0;
    styleOfLink.fill(-1);
    if (this.load) this.load.fill(0);
    for (let i = 0; i < passages.count; ++i) {
      const block = passages.block(i), at = passages.place(i);
      const message = block.message[at], link = block.link[at];
      if (!this.isWanted(message)) continue;
      ++seen.held;
      const moves = block.moves(at, cycle);
      if (moves) ++seen.moving;
      if (this.load) {
        ++this.load[this.network.links.from[link]];
        continue;
      }
      this.headOf[message] = passages.items[i];
      const isFollowed = message === view.followed;
      const isFaint = view.followed >= 0 && !isFollowed;
      const rank = (view.circle.has(message) ? kRanks.circle : 0) + (isFollowed ? kRanks.followed : 0);
      const style = rank * (kColourCount + 1) + (isFaint ? kFaint : message % kColourCount);
      if (styleOfLink[link] < 0 || rank >= Math.floor(styleOfLink[link] / (kColourCount + 1))) styleOfLink[link] = style;
      if (moves && !isFaint) this.linksOfFlits[this.flits++] = link;
    }
  }

  drawWorms() {
    const { lines, styleOfLink, ratio } = this;
    for (let link = 0; link < styleOfLink.length; ++link) {
      const style = styleOfLink[link];
      if (style < 0) continue;
      const line = 4 * link;
      this.picture.line(lines[line] * ratio, lines[line + 1] * ratio, lines[line + 2] * ratio, lines[line + 3] * ratio,
        this.lineWidth * kWidths[Math.floor(style / (kColourCount + 1))] * ratio, this.colours[style % (kColourCount + 1)]);
      ++this.work.marks;
    }
  }

  drawFlits(share) {
    const { lines, linksOfFlits, ratio } = this;
    const radius = Math.max(1.2, this.lineWidth * 1.1);
    for (let i = 0; i < this.flits; ++i) {
      const line = 4 * linksOfFlits[i];
      this.picture.disc((lines[line] + (lines[line + 2] - lines[line]) * share) * ratio,
        (lines[line + 1] + (lines[line + 3] - lines[line + 1]) * share) * ratio, radius * ratio, this.inkPoint);
    }
    this.work.marks += this.flits;
  }

  // --- Stalls ----------------------------------------------------------------------------------------------------

  /** Where a stalled flit stands: a link's number or, behind those of the links, its node's. -1: unknown. */
  placeOfStall(block, at) {
    if (block.link[at] >= 0) return block.link[at];
    const node = this.messages.destination[block.message[at]];
    return node === null || node === undefined ? -1 : this.styleOfLink.length + node;
  }
  xOf(place) {
    const links = this.styleOfLink.length;
    return place < links ? this.lines[4 * place] : this.scale.x(this.network.nodes.x[place - links]);
  }
  yOf(place) {
    const links = this.styleOfLink.length;
    return place < links ? this.lines[4 * place + 1] : this.scale.y(this.network.nodes.y[place - links]);
  }

  seekStalls(cycle) {
    const { stalls, seen, colourOfStall, view } = this;
    stalls.seek(cycle);
    this.work.items += stalls.count;
    seen.standing = 0;
    seen.stall = null;
    colourOfStall.fill(-1);
    for (let i = 0; i < stalls.count; ++i) {
      const block = stalls.block(i), at = stalls.place(i);
      const message = block.message[at];
      if (!this.isWanted(message)) continue;
      ++seen.standing;
      if (message === view.followed) seen.stall = stalls.items[i];
      else if (view.followed >= 0) continue;
      const place = this.placeOfStall(block, at);
      if (place >= 0) colourOfStall[place] = message % kColourCount;
    }
  }

  drawStalls() {
    const { colourOfStall, ratio } = this;
    const size = Math.max(2, this.lineWidth * 1.5);
    for (let place = 0; place < colourOfStall.length; ++place) {
      if (colourOfStall[place] < 0) continue;
      const x = this.xOf(place) * ratio, y = this.yOf(place) * ratio;
      this.picture.square(x, y, (2 * size + 1) * ratio, this.inkPoint);
      this.picture.square(x, y, (2 * size - 1) * ratio, this.colours[colourOfStall[place]]);
      ++this.work.marks;
    }
  }

  /** From blocked heads to those of the worms that they wait for. */
  drawWaiting() {
    const { stalls, passages, view, cycle } = this;
    const { context } = this.picture;
    context.strokeStyle = this.ink;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    for (let i = 0; i < stalls.count; ++i) {
      const block = stalls.block(i), at = stalls.place(i);
      const culprit = block.culprit[at];
      if (block.flit[at] !== 0 || culprit < 0 || !this.isWanted(block.message[at]) || !this.isWanted(culprit)) continue;
      if (view.followed >= 0 && block.message[at] !== view.followed) continue;
      const place = this.placeOfStall(block, at), head = this.headOf[culprit];
      if (place < 0 || head < 0) continue;
      const held = passages.blocks[head >> kBlockBits], which = head & (kBlock - 1);
      if (held.from[which] > cycle || held.to[which] < cycle) continue;
      const line = 4 * held.link[which];
      context.moveTo(this.xOf(place), this.yOf(place));
      context.lineTo(this.lines[line + 2], this.lines[line + 3]);
    }
    context.stroke();
    context.setLineDash([]);
  }

  // --- Many nodes ------------------------------------------------------------------------------------------------

  drawLoad() {
    const { load } = this;
    let max = 1;
    for (let i = 0; i < load.length; ++i) max = Math.max(max, load[i]);
    for (let i = 0; i < load.length; ++i) {
      if (load[i] === 0) continue;
      this.drawNode(this.picture, i, 0.92, this.loadColours[Math.round(kLoadColours * load[i] / max)]);
      ++this.work.marks;
    }
  }
}
