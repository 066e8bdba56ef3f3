'use strict';
// A picture of pixels in a plain array, which the browser shows as one image. Without a graphics card that is faster than
// thousands of small shapes a frame.

/** A colour as the number of a pixel. */
function pointOf(colour) {
  const { r, g, b } = d3.rgb(colour);
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/** Parts in which the coverage of a pixel is counted. */
const kWhole = 256;

/** Mixes two pixels: `much` parts of the first. */
function blended(colour, under, much) {
  const rest = kWhole - much;
  const redBlue = ((colour & 0xff00ff) * much + (under & 0xff00ff) * rest) >>> 8 & 0xff00ff;
  const green = ((colour & 0xff00) * much + (under & 0xff00) * rest) >>> 8 & 0xff00;
  return (0xff000000 | redBlue | green) >>> 0;
}

/** Mixes two pixels: `share` of the first, 0 to 1. */
function mixed(colour, under, share) {
  return blended(colour, under, Math.round(kWhole * share));
}

/** Coverage of the pixels around the centre of a disc, which lies anywhere on a pixel. */
class Disc {
  constructor(radius) {
    this.reach = Math.ceil(radius + 0.5);
    this.side = 2 * this.reach + 1;
    this.covers = d3.range(Disc.kPhases ** 2).map(phase => {
      const column = (phase % Disc.kPhases + 0.5) / Disc.kPhases, row = (Math.floor(phase / Disc.kPhases) + 0.5) / Disc.kPhases;
      return Uint16Array.from({ length: this.side ** 2 }, (_, i) => {
        const dx = i % this.side - this.reach + 0.5 - column, dy = Math.floor(i / this.side) - this.reach + 0.5 - row;
        return Math.round(kWhole * Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(dx, dy))));
      });
    });
  }
  /** Resolution of the centre, in parts of a pixel. */
  static kPhases = 4;
}

/** Lengths are pixels; shapes are cut off at the border of the picture. */
class Points {
  /** Copies the canvas of a context. */
  constructor(context) {
    this.context = context;
    ({ width: this.width, height: this.height } = context.canvas);
    this.image = context.getImageData(0, 0, this.width, this.height);
    this.points = new Uint32Array(this.image.data.buffer);
  }
  show() { this.context.putImageData(this.image, 0, 0); }
  /** Shows the rows from `top` to before `bottom`; the canvas keeps the others. */
  showRows(from, to) { this.context.putImageData(this.image, 0, 0, 0, from, this.width, to - from); }
  /** Copies another picture of this size. */
  copy(other) { this.points.set(other.points); }

  /** Fills a rectangle within the picture, without its right and bottom border. */
  rectangle(left, top, right, bottom, colour) {
    const { points, width } = this;
    for (let row = top * width; row < bottom * width; row += width) {
      for (let i = row + left; i < row + right; ++i) points[i] = colour;
    }
  }

  /** Fills a square of whole pixels around a place. */
  square(x, y, side, colour) {
    const length = Math.max(1, Math.round(side));
    const left = Math.round(x - length / 2), top = Math.round(y - length / 2);
    this.rectangle(Math.max(0, left), Math.max(0, top), Math.min(this.width, left + length), Math.min(this.height, top + length), colour);
  }

  disc(disc, x, y, colour) {
    const { points, width, height } = this;
    const column = Math.floor(x), row = Math.floor(y);
    const cover = disc.covers[Math.floor((y - row) * Disc.kPhases) * Disc.kPhases + Math.floor((x - column) * Disc.kPhases)];
    let i = 0;
    for (let at = row - disc.reach; at <= row + disc.reach; ++at) {
      for (let place = column - disc.reach; place <= column + disc.reach; ++place) {
        const much = cover[i++];
        if (much === 0 || place < 0 || at < 0 || place >= width || at >= height) continue;
        const point = at * width + place;
        points[point] = blended(colour, points[point], much);
      }
    }
  }
}

/** Lines that are drawn repeatedly, kept as the pixels that they cover. */
class Lines {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.places = [];
    this.covers = [];
    this.from = [0];
  }

  add(x1, y1, x2, y2, lineWidth) {
    const isFlat = Math.abs(x2 - x1) >= Math.abs(y2 - y1);
    // Steps along the longer axis.
    let [a1, b1, a2, b2] = isFlat ? [x1, y1, x2, y2] : [y1, x1, y2, x2];
    if (a1 > a2) [a1, b1, a2, b2] = [a2, b2, a1, b1];
    const slope = a2 > a1 ? (b2 - b1) / (a2 - a1) : 0;
    const half = lineWidth / 2 * Math.sqrt(1 + slope * slope);
    for (let a = Math.round(a1); a < Math.round(a2); ++a) {
      const middle = b1 + slope * (a + 0.5 - a1);
      for (let b = Math.floor(middle - half); b <= middle + half; ++b) {
        const much = Math.round(kWhole * Math.min(1, Math.min(b + 1, middle + half) - Math.max(b, middle - half)));
        const [x, y] = isFlat ? [a, b] : [b, a];
        if (much <= 0 || x < 0 || y < 0 || x >= this.width || y >= this.height) continue;
        this.places.push(y * this.width + x);
        this.covers.push(much);
      }
    }
    this.from.push(this.places.length);
  }

  draw(line, picture, colour) {
    const { places, covers } = this, { points } = picture;
    for (let i = this.from[line]; i < this.from[line + 1]; ++i) {
      const place = places[i], much = covers[i];
      points[place] = much === kWhole ? colour : blended(colour, points[place], much);
    }
  }
}
