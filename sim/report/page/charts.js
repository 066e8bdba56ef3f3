'use strict';
// Charts by D3: a figure redraws itself with the width and theme of the page, its marks show their numbers under the mouse
// and the arrow keys, and its numbers are also a table and a CSV file.

/**
 * Adds a figure. Options: name (of its files), label (for screen readers), height, draw(svg, width, height), numbers() with
 * {columns, rows}, tools (elements). Returns the figure and `redraw`.
 */
function chart(parent, options) {
  const drawing = element('div', { class: 'drawing' });
  const { details, save } = numbers(options.name, options.numbers);
  const savePicture = element('button', { type: 'button', click: () =>
    download(`${options.name}.svg`, svgText(drawing.querySelector('svg')), 'image/svg+xml') }, 'SVG');
  const figure = element('figure', {}, element('div', { class: 'tools' }, options.tools ?? [], save, savePicture), drawing,
    options.caption ? element('figcaption', {}, options.caption) : null, details);
  parent.append(figure);
  function redraw() {
    const width = Math.max(320, drawing.clientWidth || 1000);
    const height = typeof options.height === 'function' ? options.height(width) : options.height;
    drawing.replaceChildren();
    const svg = d3.select(drawing).append('svg').attr('width', width).attr('height', height)
      .attr('viewBox', `0 0 ${width} ${height}`).attr('role', 'img').attr('tabindex', 0)
      .attr('aria-label', `${options.label}; arrow keys go through the numbers`);
    options.draw(svg, width, height);
    walkable(svg.node());
    savePicture.hidden = drawing.querySelector('svg') === null;  // very many links are drawn on a canvas
    if (details.open) details.dispatchEvent(new Event('toggle'));
  }
  redraw();
  redraws.push(redraw);
  return { figure, redraw };
}

/** A picture as a file of its own: with its styles, and with the texts of its marks as titles. */
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll('*')];
  [svg, ...svg.querySelectorAll('*')].forEach((original, i) => {
    const style = getComputedStyle(original);
    const isText = original.tagName === 'text';
    for (const key of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', ...isText ? ['font-size', 'font-family'] : []]) {
      const own = copies[i].getAttribute(key);
      if (isText || copies[i].hasAttribute('class') || own?.startsWith('var(')) copies[i].setAttribute(key, style.getPropertyValue(key));
    }
    if (original.tell) copies[i].append(document.createElementNS(svg.namespaceURI, 'title'));
    if (original.tell) copies[i].lastChild.textContent = original.tell();
  });
  copy.setAttribute('style', `background: ${getComputedStyle(document.body).backgroundColor}`);
  return new XMLSerializer().serializeToString(copy);
}

/** Shows `text(datum)` of a mark under the mouse. */
function telling(selection, text) {
  return selection.attr('data-mark', '')
    .each(function (datum, i) { this.tell = () => text(datum, i); })
    .on('mousemove', function () { showTip(this.tell(), d3.event.clientX, d3.event.clientY); })
    .on('mouseleave', hideTip);
}

/** Has the arrow keys go through the marks of a picture. */
function walkable(svg) {
  let at = -1;
  svg.addEventListener('keydown', event => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const marks = svg.querySelectorAll('[data-mark]');
    if (marks.length === 0) return;
    marks[at]?.classList.remove('chosen');
    at = (at + steps[event.key] + marks.length) % marks.length;
    marks[at].classList.add('chosen');
    const box = marks[at].getBoundingClientRect();
    showTip(marks[at].tell(), box.x + box.width / 2, box.y + box.height / 2);
  });
  svg.addEventListener('blur', () => {
    svg.querySelector('.chosen')?.classList.remove('chosen');
    hideTip();
  });
}

/** Of a tick of a logarithmic axis: 0.001, 1, 1k, 1M. */
const logTick = value => d3.format(value < 1 ? '~g' : '~s')(value);

const kMargin = { left: 74, right: 18, top: 14, bottom: 44 };

function axes(svg, width, height, x, y, xLabel, yLabel, { xTicks = null, xFormat = whole, yFormat = null } = {}) {
  const ticks = y.ticks ? y.ticks(5) : [];
  svg.append('g').selectAll('line').data(ticks).enter().append('line').attr('class', 'grid')
    .attr('x1', kMargin.left).attr('x2', width - kMargin.right).attr('y1', y).attr('y2', y);
  const bottom = d3.axisBottom(x).tickSizeOuter(0);
  if (xTicks) bottom.tickValues(xTicks).tickFormat(xFormat);
  else bottom.ticks(Math.max(3, Math.floor(width / 90)), x.base ? logTick : undefined);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${height - kMargin.bottom})`).call(bottom);
  const left = d3.axisLeft(y).ticks(5, y.base ? logTick : undefined).tickSizeOuter(0);
  if (yFormat) left.tickFormat(yFormat);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${kMargin.left},0)`).call(left);
  svg.append('text').attr('class', 'label').attr('text-anchor', 'middle')
    .attr('x', (kMargin.left + width - kMargin.right) / 2).attr('y', height - 6).text(xLabel);
  svg.append('text').attr('class', 'label').attr('text-anchor', 'middle')
    .attr('transform', `translate(14,${(height - kMargin.bottom + kMargin.top) / 2}) rotate(-90)`).text(yLabel);
}

/** Ticks with names, of many only every second, third, .. so that they do not touch. */
function nameTicks(names, x) {
  const every = Math.ceil((16 + 6.8 * d3.max(names, name => name.length)) / (x(2) - x(1)));
  return { xTicks: d3.range(1, names.length + 1, every), xFormat: place => names[place - 1] };
}

/** Whether texts touch one another, or a disc around one of `centres`. */
function textsTouch(texts, centres, disc) {
  const boxes = texts.nodes().map(text => text.getBBox());
  const away = (box, [x, y]) => Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
  const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return boxes.some((box, i) => boxes.slice(0, i).some(other => meet(box, other)) || centres.some(centre => away(box, centre) < disc));
}

function legend(entries) {
  return element('div', { class: 'legend' }, entries.map(({ name, colour }) =>
    element('span', {}, element('i', { style: `background:${colour}` }), name)));
}
/** Of lines in the colours that they have by their numbers. */
const legendOf = names => legend(names.map((name, i) => ({ name, colour: colourOf(i) })));

/** Defines the head of arrows, by `id`. */
function defineArrow(svg, id, size) {
  svg.append('marker').attr('id', id).attr('viewBox', '0 0 10 10').attr('refX', 9).attr('refY', 5).attr('markerWidth', size)
    .attr('markerHeight', size).attr('markerUnits', 'userSpaceOnUse').attr('orient', 'auto')
    .append('path').attr('d', 'M0 0L10 5L0 10z').attr('fill', 'var(--soft)');
}

/** Above a plot each mark has a line of its own for its name. */
const kMarkLine = 15;
const plotTop = marks => kMargin.top + kMarkLine * marks.length;

/** Draws vertical marks [{name, at}], named above the plot; outer ones on top, so that no line crosses a name. */
function drawMarks(svg, height, x, marks) {
  const middle = d3.mean(x.range());
  marks.slice().sort((a, b) => Math.abs(x(b.at) - middle) - Math.abs(x(a.at) - middle)).forEach((mark, row) => {
    const leftwards = x(mark.at) > middle;
    const y = kMargin.top + kMarkLine * row;
    svg.append('line').attr('class', 'mark-line').attr('x1', x(mark.at)).attr('x2', x(mark.at))
      .attr('y1', y).attr('y2', height - kMargin.bottom);
    svg.append('text').attr('class', 'label').attr('x', x(mark.at) + (leftwards ? -5 : 5)).attr('y', y + 6)
      .attr('text-anchor', leftwards ? 'end' : 'start').text(mark.name);
  });
}

/** Few bars are no wider than this. */
const kWidestBar = 120;

/** Vertical bars: values[i] is above from + i * step. */
function columns(svg, width, height, { from, step, values, xLabel, yLabel, tell, marks = [] }) {
  const end = from + step * values.length;
  const x = d3.scaleLinear().domain([from, end]).range([kMargin.left, width - kMargin.right]);
  const shownMarks = marks.filter(mark => mark.at >= from && mark.at <= end);
  const y = d3.scaleLinear().domain([0, d3.max(values) || 1]).nice().range([height - kMargin.bottom, plotTop(shownMarks)]);
  axes(svg, width, height, x, y, xLabel, yLabel, { xTicks: x.ticks(Math.max(3, Math.floor(width / 90))).filter(Number.isInteger) });
  const room = x(from + step) - x(from);
  const bar = Math.min(kWidestBar, Math.max(0.5, room - (room > 4 ? 1 : 0)));
  telling(svg.append('g').attr('fill', colourOf(0)).selectAll('rect').data(values).enter().append('rect')
    .attr('x', (_, i) => x(from + step * (i + 0.5)) - bar / 2).attr('width', bar)
    .attr('y', value => y(value)).attr('height', value => y(0) - y(value)), tell);
  drawMarks(svg, height, x, shownMarks);
}

/** Stacked horizontal bars, one for each row of [{name, parts: [{name, value}]}]; `colours` gives the colour of a part by name. */
function stackedRows(svg, width, rows, { colours, unit, tell }) {
  const left = Math.min(0.45 * width, 24 + 6.8 * d3.max(rows, row => row.name.length));
  const most = d3.max(rows, row => d3.sum(row.parts, part => part.value)) || 1;
  const x = d3.scaleLinear().domain([0, most]).nice().range([left, width - kMargin.right - 60]);
  const height = 30 * rows.length;
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${height + 4})`)
    .call(d3.axisBottom(x).ticks(Math.max(2, Math.floor((x(most) - left) / 80))).tickSizeOuter(0));
  svg.append('text').attr('class', 'label').attr('text-anchor', 'middle').attr('x', (left + width) / 2)
    .attr('y', height + 40).text(unit);
  rows.forEach((row, number) => {
    let sum = 0;
    const parts = row.parts.filter(part => part.value > 0).map(part => {
      const from = sum;
      sum += part.value;
      return { ...part, row, from, to: sum };
    });
    svg.append('text').attr('x', left - 10).attr('y', 30 * number + 19).attr('text-anchor', 'end').text(row.name);
    telling(svg.append('g').selectAll('rect').data(parts).enter().append('rect').attr('x', part => x(part.from))
      .attr('width', part => Math.max(0.5, x(part.to) - x(part.from))).attr('y', 30 * number + 4).attr('height', 22)
      .attr('fill', part => colours(part.name)), tell);
    svg.append('text').attr('class', 'label').attr('x', x(sum) + 6).attr('y', 30 * number + 19).text(shown(sum));
  });
}
const stackedHeight = rows => 30 * rows.length + 46;

/**
 * A line chart: series [{name, points: [{x, y, low, high, tell}]}], logX, logY, vertical marks [{name, at}], crossovers
 * [{x, y, tell}], yMax, xNames (instead of numbers at x = 1, 2, ..). Each line has its own colour, dash and symbol.
 */
function lines(svg, width, height, { series, xLabel, yLabel, logX, logY, marks = [], crossovers = [], yMax = null, xNames = null }) {
  const points = series.flatMap(each => each.points);
  const xs = [...points.map(point => point.x), ...marks.map(mark => mark.at)].filter(x => !logX || x > 0);
  const ys = points.flatMap(point => [point.low ?? point.y, point.high ?? point.y]).filter(y => !logY || y > 0);
  if (xs.length === 0 || ys.length === 0) return;
  const scale = (log, values) => {
    const [low, high] = d3.extent(values);
    if (log) return d3.scaleLog().domain(low === high ? [low / 2, high * 2] : [low, high]);
    return d3.scaleLinear().domain([Math.min(0, low), high > 0 ? high : 1]);
  };
  const x = scale(logX, xs).range([kMargin.left, width - kMargin.right]);
  const y = scale(logY, yMax === null ? ys : ys.map(value => Math.min(value, yMax)))
    .range([height - kMargin.bottom, plotTop(marks)]);
  if (logY) y.domain([y.domain()[0] / 1.15, y.domain()[1] * 1.15]);
  else y.nice();
  if (xNames) x.domain([0.5, xNames.length + 0.5]);
  axes(svg, width, height, x, y, xLabel, yLabel, xNames ? nameTicks(xNames, x) : {});
  // Lines end at the edge of the plot; symbols on it are whole.
  const clipped = beyond => {
    const clip = `clip-${Math.random().toString(36).slice(2)}`;
    svg.append('clipPath').attr('id', clip).append('rect').attr('x', kMargin.left - beyond)
      .attr('y', plotTop(marks) - beyond).attr('width', width - kMargin.left - kMargin.right + 2 * beyond)
      .attr('height', height - plotTop(marks) - kMargin.bottom + 2 * beyond);
    return svg.append('g').attr('clip-path', `url(#${clip})`);
  };
  const plot = clipped(0), symbols = clipped(6);
  drawMarks(svg, height, x, marks);
  const dashes = ['', '7 3', '2 3', '9 3 2 3'];
  const shapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar];
  series.forEach((each, i) => {
    const visible = each.points.filter(point => (!logX || point.x > 0) && (!logY || point.y > 0));
    const colour = each.colour ?? colourOf(i);
    plot.append('path').datum(visible).attr('fill', 'none').attr('stroke', colour).attr('stroke-width', 2)
      .attr('stroke-dasharray', dashes[Math.floor(i / kColours.length) % dashes.length])
      .attr('d', d3.line().x(point => x(point.x)).y(point => y(point.y)));
    plot.append('g').attr('stroke', colour).selectAll('line')
      .data(visible.filter(point => point.low !== undefined && point.high > point.low)).enter().append('line')
      .attr('x1', point => x(point.x)).attr('x2', point => x(point.x))
      .attr('y1', point => y(logY ? Math.max(point.low, y.domain()[0]) : point.low)).attr('y2', point => y(point.high));
    telling(symbols.append('g').attr('fill', colour).selectAll('path').data(visible).enter().append('path')
      .attr('transform', point => `translate(${x(point.x)},${y(point.y)})`)
      .attr('d', d3.symbol().size(44).type(shapes[i % shapes.length])), point => point.tell);
  });
  telling(symbols.append('g').attr('fill', 'none').attr('stroke', isDark() ? '#fff' : '#000').selectAll('circle')
    .data(crossovers.filter(point => (!logX || point.x > 0) && (!logY || point.y > 0))).enter().append('circle')
    .attr('pointer-events', 'all').attr('r', 7).attr('cx', point => x(point.x)).attr('cy', point => y(point.y)),
  point => point.tell);
}

/** Points of a line that says which share of messages takes longer, from bins [from, to, messages] of latencies. */
function tailPoints(bins, before = '') {
  const all = d3.sum(bins, bin => bin[2]);
  let longer = all;
  const points = [{ x: bins[0][0], y: 1, tell: `${before}none takes less than ${whole(bins[0][0])} cycles` }];
  for (const [, to, messages] of bins) {
    longer -= messages;
    if (longer > 0) points.push({ x: to, y: longer / all, tell: `${before}${d3.format('.3~%')(longer / all)} take longer than ${whole(to)} cycles` });
  }
  return points;
}
