'use strict';
// The packed flit trace: decoded block by block, when a block is first needed (sim/report/page/replay_data.h defines the
// format), and what of it lasts in one cycle.

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

const kBlockBits = 8;
const kBlock = 1 << kBlockBits;

/** The passages of a block, by columns. `runs` has [first cycle, flits] of each run, those of passage i from runsFrom[i]. */
class PassageBlock {
  constructor() {
    this.count = 0;
    this.from = new Float64Array(kBlock);
    this.to = new Float64Array(kBlock);
    this.message = new Int32Array(kBlock);
    this.link = new Int32Array(kBlock);
    this.runsFrom = new Int32Array(kBlock + 1);
    this.runs = [];
  }
  read(reader, cycle, message) {
    const i = this.count++;
    this.from[i] = cycle;
    this.message[i] = message;
    this.link[i] = reader.number();
    reader.number();  // the VC
    let at = cycle + reader.number();
    const held = reader.number();
    const count = reader.number();
    for (let run = 0; run < count; ++run) {
      const flits = reader.number() + 1;
      this.runs.push(at, flits);
      at += flits;
      if (run + 1 < count) at += reader.number() + 1;
    }
    this.runsFrom[i + 1] = this.runs.length;
    this.to[i] = (count === 0 ? cycle : at - 1) + held;
  }
  /** True if a flit leaves in this cycle. */
  moves(i, cycle) {
    let low = this.runsFrom[i] / 2, high = this.runsFrom[i + 1] / 2;
    while (low < high) {  // to the last run that has begun
      const middle = (low + high) >> 1;
      if (this.runs[2 * middle] <= cycle) low = middle + 1;
      else high = middle;
    }
    return low > this.runsFrom[i] / 2 && cycle < this.runs[2 * low - 2] + this.runs[2 * low - 1];
  }
}

/** The stalls of a block, by columns. A link or culprit of -1 is none. */
class StallBlock {
  constructor() {
    this.count = 0;
    this.from = new Float64Array(kBlock);
    this.to = new Float64Array(kBlock);
    this.message = new Int32Array(kBlock);
    this.flit = new Int32Array(kBlock);
    this.link = new Int32Array(kBlock);
    this.cause = new Uint8Array(kBlock);
    this.culprit = new Int32Array(kBlock);
  }
  read(reader, cycle, message) {
    const i = this.count++;
    this.from[i] = cycle;
    this.to[i] = cycle + reader.number();
    this.message[i] = message;
    this.flit[i] = reader.number();
    this.link[i] = reader.number() - 1;
    this.cause[i] = reader.number();
    this.culprit[i] = reader.number() - 1;
  }
}

/**
 * What lasts in the cycle that was sought: for i < count, block(i) has it at place(i), in the order in which it began. Going on
 * costs what lasts and what begins; going back, or far on, skips blocks of which nothing lasts.
 */
class Lasting {
  constructor(packed, Block, work) {
    this.index = packed.index;
    const text = atob(packed.bytes);
    this.bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) this.bytes[i] = text.charCodeAt(i);
    this.Block = Block;
    this.blocks = new Array(this.index.length);
    this.work = work;
    this.items = new Int32Array(1024);
    this.count = 0;
    this.cycle = -1;
    this.next = 0;
  }
  block(i) { return this.blocks[this.items[i] >> kBlockBits]; }
  place(i) { return this.items[i] & (kBlock - 1); }

  seek(cycle) {
    if (cycle === this.cycle) return;
    if (cycle < this.cycle) this.count = this.next = 0;
    this.cycle = cycle;
    let kept = 0;
    for (let i = 0; i < this.count; ++i) {
      if (this.block(i).to[this.place(i)] >= cycle) this.items[kept++] = this.items[i];
    }
    this.count = kept;
    for (;;) {
      const number = this.next >> kBlockBits;
      if (number >= this.index.length || this.index[number][0] > cycle) return;
      if (this.index[number][1] < cycle) {
        this.next = (number + 1) << kBlockBits;
        continue;
      }
      const block = this.decode(number);
      let i = this.next & (kBlock - 1);
      for (; i < block.count && block.from[i] <= cycle; ++i) {
        if (block.to[i] >= cycle) this.add(number << kBlockBits | i);
      }
      if (i < block.count) {
        this.next = number << kBlockBits | i;
        return;
      }
      this.next = (number + 1) << kBlockBits;
    }
  }
  add(item) {
    if (this.count === this.items.length) {
      const larger = new Int32Array(2 * this.count);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.count++] = item;
  }
  decode(number) {
    if (this.blocks[number]) return this.blocks[number];
    const reader = new ByteReader(this.bytes, this.index[number][2]);
    const end = number + 1 < this.index.length ? this.index[number + 1][2] : this.bytes.length;
    const block = new this.Block();
    let [cycle, message] = [this.index[number][0], 0];
    while (reader.at < end) {
      cycle += reader.number();
      message += reader.signed();
      block.read(reader, cycle, message);
    }
    this.blocks[number] = block;
    ++this.work.blocks;
    return block;
  }
}

/** Whether a chunk is in a list of ranges. */
function holdsChunk(ranges, chunk) {
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i] <= chunk && chunk <= ranges[i + 1]) return true;
  }
  return false;
}
