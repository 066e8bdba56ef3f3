'use strict';
// The packed flit trace: blocks are decoded when they are first needed (sim/report/page/replay_data.h defines the format),
// and passages and stalls of one cycle are found.

/** Reads LEB128 numbers. */
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

/** The passages of a block, by columns. `runs` has [first cycle, flits] of each run; those of passage i begin at runsFrom[i]. */
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
  /** Place in `runs` of the first run of a passage that ends in or after a cycle; the next passage's first run if there is none. */
  runAt(i, cycle) {
    let low = this.runsFrom[i] / 2, high = this.runsFrom[i + 1] / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.runs[2 * middle] + this.runs[2 * middle + 1] <= cycle) low = middle + 1;
      else high = middle;
    }
    return 2 * low;
  }
}

/** The stalls of a block, by columns. A link or culprit of -1: none. */
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

/** Columns of the table of active items: number, last cycle, message and link; of a passage also the begin and the end of the
 *  present or next run of flits. */
const kItem = 0, kEnd = 1, kMessage = 2, kLink = 3, kRunBegin = 4, kRunEnd = 5, kColumns = 6;

/**
 * The items (passages or stalls) that are active in the sought cycle, in the order of their begin: a table of `count` rows,
 * each at a multiple of kColumns below `end`. A step forward visits active and new items; a jump skips blocks without active
 * items.
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
    this.rows = new Float64Array(1024 * kColumns);
    this.end = 0;
    this.cycle = -1;
    this.next = 0;
  }
  get count() { return this.end / kColumns; }
  block(item) { return this.blocks[item >> kBlockBits]; }

  seek(cycle) {
    if (cycle === this.cycle) return;
    if (cycle < this.cycle) this.end = this.next = 0;
    this.cycle = cycle;
    this.forgetWhatIsOver();
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
        if (block.to[i] >= cycle) this.add(number << kBlockBits | i, block, i);
      }
      if (i < block.count) {
        this.next = number << kBlockBits | i;
        return;
      }
      this.next = (number + 1) << kBlockBits;
    }
  }
  forgetWhatIsOver() {
    const { rows, end, cycle } = this;
    let kept = 0;
    for (let row = 0; row < end; row += kColumns) {
      if (rows[row + kEnd] < cycle) continue;
      if (row !== kept) {
        for (let column = 0; column < kColumns; ++column) rows[kept + column] = rows[row + column];
      }
      kept += kColumns;
    }
    this.end = kept;
  }
  add(item, block, i) {
    if (this.end === this.rows.length) {
      const larger = new Float64Array(2 * this.end);
      larger.set(this.rows);
      this.rows = larger;
    }
    const { rows, end } = this;
    rows[end + kItem] = item;
    rows[end + kEnd] = block.to[i];
    rows[end + kMessage] = block.message[i];
    rows[end + kLink] = block.link[i];
    rows[end + kRunBegin] = rows[end + kRunEnd] = -1;
    this.end = end + kColumns;
  }
  /** True if a flit of the passage in a row leaves in this cycle. */
  moves(row) {
    const { rows, cycle } = this;
    if (rows[row + kRunEnd] <= cycle) {
      const block = this.block(rows[row + kItem]), i = rows[row + kItem] & (kBlock - 1);
      const run = block.runAt(i, cycle);
      const isOver = run === block.runsFrom[i + 1];
      rows[row + kRunBegin] = isOver ? Infinity : block.runs[run];
      rows[row + kRunEnd] = isOver ? Infinity : block.runs[run] + block.runs[run + 1];
    }
    return rows[row + kRunBegin] <= cycle;
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

/** True if a chunk is in a list of ranges. */
function holdsChunk(ranges, chunk) {
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i] <= chunk && chunk <= ranges[i + 1]) return true;
  }
  return false;
}
