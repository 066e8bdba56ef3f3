'use strict';
// The replay of worms. The ground (channels and filled nodes) is kept and only changed nodes are redrawn; worms, stalls and
// flits are drawn on it.

const kFaint = kColourCount;
/** Ranks of worms on a channel, of which the highest is drawn, and their line widths in units of a channel's. */
const kRanks = { plain: 0, dependencyCycle: 1, followed: 2, followedInCycle: 3 };
const kWidths = [1.2, 2.6, 2, 2.6];

class WormDrawing extends ReplayDrawing {
  constructor(run, canvas) {
    super(run, canvas);
    const nodes = this.network.nodes.x.length, links = this.network.links.from.length;
    this.lines = new Float32Array(4 * links);
    /** Of the width of a link that is alone, by link. */
    this.shares = new Float32Array(links);
    this.styleOfLink = new Int8Array(links);
    this.colourOfStall = new Int8Array(links + nodes);
    this.headOf = new Int32Array(this.messages.step.length).fill(-1);
    this.linksOfFlits = new Int32Array(links);
    this.shownFill = new Int8Array(nodes);
  }

  lay(context, colour) {
    const { scale, ratio, network, lines } = this;
    this.lineWidth = Math.max(1.2, scale.unit * 0.055);
    this.ink = colour('--ink');
    [this.inkPoint, this.panel] = ['--ink', '--panel'].map(key => pointOf(colour(key)));
    this.colours = [...kColours, colour('--line')].map(pointOf);
    network.links.from.forEach((_, i) => {
      const { x1, y1, x2, y2, share } = linkLine(network, scale, i);
      this.shares[i] = share;
      lines.set([x1, y1, x2, y2], 4 * i);
    });
    context.strokeStyle = colour('--empty');
    context.beginPath();
    for (let i = 0; i < lines.length; i += 4) {
      context.moveTo(lines[i], lines[i + 1]);
      context.lineTo(lines[i + 2], lines[i + 3]);
    }
    context.stroke();
    context.fillStyle = colour('--panel');
    context.strokeStyle = colour('--line');
    const side = scale.unit * 0.34;
    for (let i = 0; i < network.nodes.x.length; ++i) {
      const x = scale.x(network.nodes.x[i]) - side / 2, y = scale.y(network.nodes.y[i]) - side / 2;
      context.fillRect(x, y, side, side);
      context.strokeRect(x, y, side, side);
    }
    this.ground = new Points(context);
    this.picture = new Points(context);
    this.shownFill.fill(-1);
    this.flit = new Disc(Math.max(1.2, this.lineWidth * 1.1) * ratio);
    this.linesOfRanks = kWidths.map(() => null);
  }

  beginCycle() {
    this.flits = 0;
    this.styleOfLink.fill(-1);
    this.colourOfStall.fill(-1);
  }

  draw(isNew, share) {
    if (isNew) this.drawNodes();
    this.picture.copy(this.ground);
    this.drawWorms();
    this.drawStalls();
    this.drawFlits(share);
    this.picture.show();
    this.drawNames();
    if (this.seen.held < 400 || this.view.followed >= 0) this.drawWaiting();
  }

  // --- Nodes -----------------------------------------------------------------------------------------------------

  /** Draws filled nodes on the ground. */
  drawNodes() {
    const { wantedFill, shownFill, scale, ratio, network } = this;
    const side = scale.unit * 0.26 * ratio;
    for (let node = 0; node < wantedFill.length; ++node) {
      const style = wantedFill[node];
      if (style === shownFill[node]) continue;
      shownFill[node] = style;
      const share = style < 0 ? 0 : style === kHasPart ? 0.2 : style === kHasChunk ? 0.75 : 0.55;
      const colour = mixed(this.colours[style >= kHasPart ? 6 : Math.max(0, style)], this.panel, share);
      this.ground.square(scale.x(network.nodes.x[node]) * ratio, scale.y(network.nodes.y[node]) * ratio, side, colour);
      ++this.work.marks;
    }
  }

  drawNames() {
    const { scale, network, network: { nodes } } = this;
    const font = nameFont(network, scale);
    if (font === 0) return;
    const { context } = this.picture;
    context.fillStyle = this.ink;
    context.font = `${font}px system-ui, sans-serif`;
    context.textAlign = 'center';
    nodes.name.forEach((name, i) => context.fillText(shortName(name), scale.x(nodes.x[i]), scale.y(nodes.y[i]) + 3));
  }

  // --- Worms -----------------------------------------------------------------------------------------------------

  takeWorm(rows, row, moves) {
    const { styleOfLink, view } = this;
    const message = rows[row + kMessage], link = rows[row + kLink];
    this.headOf[message] = rows[row + kItem];
    const isFollowed = message === view.followed;
    const isFaint = view.followed >= 0 && !isFollowed;
    const rank = (view.dependencyCycle.has(message) ? kRanks.dependencyCycle : 0) + (isFollowed ? kRanks.followed : 0);
    const style = rank * (kColourCount + 1) + (isFaint ? kFaint : this.wormColour[message]);
    if (styleOfLink[link] < 0 || rank >= Math.floor(styleOfLink[link] / (kColourCount + 1))) styleOfLink[link] = style;
    if (moves && !isFaint) this.linksOfFlits[this.flits++] = link;
  }

  /** The lines of all channels in the width of a rank. */
  linesOf(rank) {
    if (this.linesOfRanks[rank]) return this.linesOfRanks[rank];
    const { lines, ratio } = this;
    const made = new Lines(this.picture.width, this.picture.height);
    for (let i = 0; i < lines.length; i += 4) {
      made.add(lines[i] * ratio, lines[i + 1] * ratio, lines[i + 2] * ratio, lines[i + 3] * ratio,
        this.lineWidth * kWidths[rank] * this.shares[i / 4] * ratio);
    }
    return this.linesOfRanks[rank] = made;
  }

  drawWorms() {
    const { styleOfLink } = this;
    for (let link = 0; link < styleOfLink.length; ++link) {
      const style = styleOfLink[link];
      if (style < 0) continue;
      const rank = Math.floor(style / (kColourCount + 1));
      this.linesOf(rank).draw(link, this.picture, this.colours[style % (kColourCount + 1)]);
      ++this.work.marks;
    }
  }

  drawFlits(share) {
    const { lines, linksOfFlits, ratio } = this;
    for (let i = 0; i < this.flits; ++i) {
      const line = 4 * linksOfFlits[i];
      this.picture.disc(this.flit, (lines[line] + (lines[line + 2] - lines[line]) * share) * ratio,
        (lines[line + 1] + (lines[line + 3] - lines[line + 1]) * share) * ratio, this.inkPoint);
    }
    this.work.marks += this.flits;
  }

  // --- Stalls ----------------------------------------------------------------------------------------------------

  /** Place of a stalled flit: the number of a link, or that of a node after all links. -1: unknown. */
  placeOfStall(rows, row) {
    if (rows[row + kLink] >= 0) return rows[row + kLink];
    const node = this.messages.destination[rows[row + kMessage]];
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

  takeStall(rows, row) {
    const { view } = this;
    const message = rows[row + kMessage];
    if (view.followed >= 0 && message !== view.followed) return;
    const place = this.placeOfStall(rows, row);
    if (place >= 0) this.colourOfStall[place] = this.wormColour[message];
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

  /** Draws lines from blocked heads to the heads of the worms that they wait for. */
  drawWaiting() {
    const { stalls, passages, view, cycle } = this;
    const { context } = this.picture;
    context.strokeStyle = this.ink;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    for (let row = 0; row < stalls.end; row += kColumns) {
      const message = stalls.rows[row + kMessage];
      const block = stalls.block(stalls.rows[row + kItem]), at = stalls.rows[row + kItem] & (kBlock - 1);
      const culprit = block.culprit[at];
      if (block.flit[at] !== 0 || culprit < 0 || !this.isWanted(message) || !this.isWanted(culprit)) continue;
      if (view.followed >= 0 && message !== view.followed) continue;
      const place = this.placeOfStall(stalls.rows, row), head = this.headOf[culprit];
      if (place < 0 || head < 0) continue;
      const held = passages.block(head), which = head & (kBlock - 1);
      if (held.from[which] > cycle || held.to[which] < cycle) continue;
      const line = 4 * held.link[which];
      context.moveTo(this.xOf(place), this.yOf(place));
      context.lineTo(this.lines[line + 2], this.lines[line + 3]);
    }
    context.stroke();
    context.setLineDash([]);
  }
}
