'use strict';
// A picture that is drawn point by point. A browser without a graphics card spends more on thousands of small shapes a
// frame than their points take; these are a plain array, which it shows as one image.

/** A colour as a point has it. */
function pointOf(colour) {
  const { r, g, b } = d3.rgb(colour);
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/** Two points mixed: `share` of the first, 0 to 1. */
function mixed(colour, under, share) {
  const much = Math.round(256 * share), rest = 256 - much;
  const redBlue = ((colour & 0xff00ff) * much + (under & 0xff00ff) * rest) >>> 8 & 0xff00ff;
  const green = ((colour & 0xff00) * much + (under & 0xff00) * rest) >>> 8 & 0xff00;
  return (0xff000000 | redBlue | green) >>> 0;
}

/** Lengths are points of the screen; shapes that reach beyond the picture are cut off. */
class Points {
  /** As large as the canvas of a context, and with what that shows. */
  constructor(context) {
    this.context = context;
    ({ width: this.width, height: this.height } = context.canvas);
    this.image = context.getImageData(0, 0, this.width, this.height);
    this.points = new Uint32Array(this.image.data.buffer);
  }
  show() { this.context.putImageData(this.image, 0, 0); }
  /** All of another picture of this size. */
  copy(other) { this.points.set(other.points); }

  cover(x, y, colour, share) {
    if (share <= 0 || x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const i = y * this.width + x;
    this.points[i] = share >= 1 ? colour : mixed(colour, this.points[i], share);
  }

  /** A square about a place, of whole points. */
  square(x, y, side, colour) {
    const length = Math.max(1, Math.round(side));
    const left = Math.round(x - length / 2), top = Math.round(y - length / 2);
    const from = Math.max(0, left), to = Math.min(this.width, left + length);
    for (let row = Math.max(0, top); row < Math.min(this.height, top + length); ++row) {
      if (from < to) this.points.fill(colour, row * this.width + from, row * this.width + to);
    }
  }

  disc(x, y, radius, colour) {
    for (let row = Math.floor(y - radius); row <= y + radius; ++row) {
      for (let column = Math.floor(x - radius); column <= x + radius; ++column) {
        const [dx, dy] = [column + 0.5 - x, row + 0.5 - y];
        this.cover(column, row, colour, radius + 0.5 - Math.sqrt(dx * dx + dy * dy));
      }
    }
  }

  line(x1, y1, x2, y2, width, colour) {
    const isFlat = Math.abs(x2 - x1) >= Math.abs(y2 - y1);
    // Along the axis nearer to it, across the other.
    let [a1, b1, a2, b2] = isFlat ? [x1, y1, x2, y2] : [y1, x1, y2, x2];
    if (a1 > a2) [a1, b1, a2, b2] = [a2, b2, a1, b1];
    const slope = a2 > a1 ? (b2 - b1) / (a2 - a1) : 0;
    const half = width / 2 * Math.sqrt(1 + slope * slope);
    for (let a = Math.round(a1); a < Math.round(a2); ++a) {
      const middle = b1 + slope * (a + 0.5 - a1);
      for (let b = Math.floor(middle - half); b <= middle + half; ++b) {
        const share = Math.min(b + 1, middle + half) - Math.max(b, middle - half);
        if (isFlat) this.cover(a, b, colour, share);
        else this.cover(b, a, colour, share);
      }
    }
  }
}
