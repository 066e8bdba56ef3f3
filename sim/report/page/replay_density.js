'use strict';
// The replay of a large network: a cell for each node, darker with more channels held by worms. Only cells that change are
// drawn.

const kMaxWarmth = 64;

class DensityDrawing extends ReplayDrawing {
  constructor(run, canvas) {
    super(run, canvas);
    const nodes = this.network.nodes.x.length;
    this.sources = Int32Array.from(this.network.links.from);
    /** Held channels by node; nodes with held channels in this cycle and in the one shown before. */
    this.load = new Int32Array(nodes);
    this.warm = new Int32Array(nodes);
    this.warmBefore = new Int32Array(nodes);
    this.warmCount = 0;
    const degrees = new Int32Array(nodes);
    for (const node of this.sources) ++degrees[node];
    this.degree = Math.max(1, d3.max(degrees));
    this.warmth = Math.min(kMaxWarmth, this.degree);
    this.shown = new Int8Array(nodes);
  }

  /** Sets the size of cells: whole pixels, at least one. */
  setScale(width, ratio) {
    const room = networkScale(this.network, width).unit * ratio;
    this.ratio = ratio * Math.max(1, 1 / room);
    this.scale = networkScale(this.network, width, Math.max(1, Math.floor(room)) / this.ratio);
  }

  lay(context, colour) {
    const { scale, ratio, network } = this;
    const side = Math.round(scale.unit * ratio);
    this.side = side > 4 ? side - 1 : side;
    this.left = Int32Array.from(network.nodes.x, x => Math.round((scale.x(x) - scale.unit / 2) * ratio));
    this.top = Int32Array.from(network.nodes.y, y => Math.round((scale.y(y) - scale.unit / 2) * ratio));
    const empty = pointOf(colour('--empty')), steps = kColours.map(pointOf);
    // By style + 1: nothing, the colours of steps, a part of a chunk, a whole chunk; then the shades of held channels.
    this.colours = Uint32Array.from([empty, ...steps.map(step => mixed(step, empty, 0.3)), mixed(steps[6], empty, 0.2),
      mixed(steps[6], empty, 0.75), ...d3.range(1, this.warmth + 1).map(i => pointOf(heat(i / this.warmth)))]);
    this.shown.fill(-2);
    this.picture = new Points(context);
    this.picture.show();
  }

  legend() {
    return [{ name: 'a channel is held', colour: heat(1 / this.warmth) }, { name: `${this.degree} are`, colour: heat(1) }];
  }

  beginCycle() {
    [this.warm, this.warmBefore] = [this.warmBefore, this.warm];
    this.warmCountBefore = this.warmCount;
    this.warmCount = 0;
    for (let i = 0; i < this.warmCountBefore; ++i) this.load[this.warmBefore[i]] = 0;
  }
  takeWorm(rows, row) {
    const node = this.sources[rows[row + kLink]];
    if (this.load[node]++ === 0) this.warm[this.warmCount++] = node;
  }
  takeStall() {}

  /** Draws a cycle once: flits on links are not shown. */
  draw(isNew) {
    if (!isNew) return;
    this.first = this.picture.height;
    this.last = 0;
    if (this.refills) {
      for (let node = 0; node < this.shown.length; ++node) this.drawCell(node);
    } else {
      for (let i = 0; i < this.warmCountBefore; ++i) this.drawCell(this.warmBefore[i]);
      for (let i = 0; i < this.warmCount; ++i) this.drawCell(this.warm[i]);
      for (let i = this.filledBefore; i < this.filled; ++i) this.drawCell(this.view.filling.nodes[i]);
    }
    if (this.first < this.last) this.picture.showRows(this.first, this.last);
  }
  drawCell(node) {
    const held = this.load[node];
    const style = held === 0 ? this.wantedFill[node] : kHasChunk + Math.ceil(Math.min(held, this.degree) / this.degree * this.warmth);
    if (style === this.shown[node]) return;
    this.shown[node] = style;
    const left = this.left[node], top = this.top[node];
    this.picture.rectangle(left, top, left + this.side, top + this.side, this.colours[style + 1]);
    this.first = Math.min(this.first, top);
    this.last = Math.max(this.last, top + this.side);
    ++this.work.marks;
  }
}
