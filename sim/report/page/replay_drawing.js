'use strict';
// Common base of the replay's pictures: worms and stalls of the shown cycle, and the filling of nodes. Work is per channel and
// node with something to show, not per event; a cycle allocates nothing.

/** Filling of nodes over time: nodes[i] has styles[i] from cycles[i] on, in the order of cycles; `base` before. */
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
/** Styles of nodes: the colours of steps, a part of a chunk, a whole chunk. */
const kColourCount = kColours.length;
const kHasPart = kColourCount, kHasChunk = kColourCount + 1;

/** Numbers of messages by their labels, such as 1.3. */
const messageNumbers = messages => new Map(messages.step.map((step, i) => [`${step}.${messages.place[i]}`, i]));

/** Derived classes have lay(context, colour), beginCycle(), takeWorm(row), takeStall(row) and draw(isNew, share). */
class ReplayDrawing {
  constructor(run, canvas) {
    this.network = run.network;
    this.messages = run.replay.messages;
    /** Work so far: cycles shown, blocks decoded, worms and stalls visited, marks drawn. */
    this.work = { cycles: 0, blocks: 0, items: 0, marks: 0 };
    this.passages = new Lasting(run.replay.passages, PassageBlock, this.work);
    this.stalls = new Lasting(run.replay.stalls, StallBlock, this.work);
    this.canvas = canvas;
    const byLabel = messageNumbers(this.messages);
    this.inCycle = (run.result.deadlock?.dependency_cycle ?? []).map(worm => byLabel.get(`${worm.step}.${worm.message}`));
    const nodes = this.network.nodes.x.length;
    this.wantedFill = new Int8Array(nodes);
    /** The place of its colour, by message; worms of the dependency cycle have those of its drawings. */
    this.wormColour = Int8Array.from(this.messages.step, (_, i) => i % kColourCount);
    this.inCycle.forEach((message, place) => { this.wormColour[message] = place % kColourCount; });
    this.view = { followed: -1, step: null, dependencyCycle: new Set(), filling: new Filling(nodes) };
    /** Counts of the shown cycle. */
    this.seen = { held: 0, moving: 0, standing: 0, filled: 0, stall: null };
    this.cycle = null;
  }

  /** Sets sizes and colours, and draws the ground. */
  layout(width) {
    const ratio = window.devicePixelRatio || 1;
    this.setScale(width, ratio);
    this.canvas.width = Math.ceil(this.scale.width * this.ratio);
    this.canvas.height = Math.ceil(this.scale.height * this.ratio);
    this.canvas.style.width = `${this.canvas.width / this.ratio}px`;
    const context = this.canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    context.scale(this.ratio, this.ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = key => style.getPropertyValue(key).trim();
    context.fillStyle = colour('--paper');
    context.fillRect(0, 0, this.scale.width + 1, this.scale.height + 1);
    this.drawLayers(context, colour);
    this.lay(context, colour);
    this.cycle = null;
  }
  /** Entries of the legend. */
  legend() { return []; }
  setScale(width, ratio) {
    this.ratio = ratio;
    this.scale = networkScale(this.network, width);
  }
  drawLayers(context, colour) {
    const { layers } = this.network;
    if (layers.length === 1) return;
    context.fillStyle = colour('--soft');
    context.font = '12px system-ui, sans-serif';
    for (const layer of layers) {
      context.fillText(layer.name, this.scale.x(layer.x) - this.scale.unit * 0.3, this.scale.y(layer.y) - this.scale.unit * 0.55);
    }
  }

  /** Changes members of the view. */
  change(view) {
    Object.assign(this.view, view);
    this.cycle = null;
  }

  /** Shows a cycle, `share` of which has passed. */
  show(cycle, share) {
    const isNew = cycle !== this.cycle;
    if (isNew) {
      this.beginCycle();
      this.seekNodes(cycle);
      this.seekWorms(cycle);
      this.seekStalls(cycle);
      this.cycle = cycle;
      ++this.work.cycles;
    }
    this.draw(isNew, share);
  }

  isWanted(message) {
    return this.view.step === null || this.messages.step[message] === this.view.step;
  }

  /** Updates the filling of nodes: entries filledBefore up to filled are new; with `refills` any node may have changed. */
  seekNodes(cycle) {
    const { wantedFill, seen, view: { filling } } = this;
    this.refills = this.cycle === null || cycle < this.cycle;
    if (this.refills) {
      wantedFill.set(filling.base);
      seen.filled = d3.sum(filling.base, style => style === kHasChunk);
      this.filled = 0;
    }
    this.filledBefore = this.filled;
    for (; this.filled < filling.cycles.length && filling.cycles[this.filled] <= cycle; ++this.filled) {
      const node = filling.nodes[this.filled], style = filling.styles[this.filled];
      if (style === kHasChunk && wantedFill[node] !== kHasChunk) ++seen.filled;
      wantedFill[node] = style;
    }
  }

  seekWorms(cycle) {
    const { passages, seen } = this;
    passages.seek(cycle);
    this.work.items += passages.count;
    seen.held = seen.moving = 0;
    for (let row = 0; row < passages.end; row += kColumns) {
      if (!this.isWanted(passages.rows[row + kMessage])) continue;
      const moves = passages.moves(row);
      ++seen.held;
      if (moves) ++seen.moving;
      this.takeWorm(passages.rows, row, moves);
    }
  }

  seekStalls(cycle) {
    const { stalls, seen, view } = this;
    stalls.seek(cycle);
    this.work.items += stalls.count;
    seen.standing = 0;
    seen.stall = null;
    for (let row = 0; row < stalls.end; row += kColumns) {
      const message = stalls.rows[row + kMessage];
      if (!this.isWanted(message)) continue;
      ++seen.standing;
      if (message === view.followed) seen.stall = stalls.rows[row + kItem];
      this.takeStall(stalls.rows, row);
    }
  }
}
