'use strict';
// The map of the network: links are coloured by a measure. The data has the places of nodes; a wrap-around link or one to
// another layer is drawn as a stub at its source.

const kLinksDrawn = 12000;
/** The height up to which a drawing grows with the width of the page. */
const kTallest = 720;
/** The size of nodes' names, in pixels, at which neighbours' do not touch; 0 if they have no room. */
function nameFont(network, scale) {
  const size = Math.min(13, scale.unit / 8, 1.6 * scale.unit / d3.max(network.nodes.name, name => shortName(name).length));
  return size < 6 ? 0 : size;
}
const shortName = name => name.replace(/ /g, '');

/** Names and measures of the links of a run. */
function linksOf(run) {
  const { nodes, links, ports } = run.network;
  return {
    count: links.from.length,
    name: i => links.name === null ? nodes.name[links.from[i]] + ports[links.port[i]] : links.name[i],
    measures: {
      utilisation: { label: 'busy (share of all cycles)', value: i => Number(run.channels.utilisation[i]), text: percent },
      stalled: { label: 'flits waited for it (flit-cycles)', value: i => run.channels.stalled_flit_cycles[i], text: whole },
      longest: { label: 'longest wait for it (cycles)', value: i => run.channels.longest_wait_cycles[i], text: whole },
      messages: { label: 'messages', value: i => run.channels.messages[i], text: whole },
    },
  };
}

/** The scale of the drawing, in pixels: as large as the width and kTallest allow, unless the distance `unit` of two nodes is given. */
function networkScale(network, width, unit = null) {
  const right = d3.max(network.layers, layer => layer.x + layer.width);
  const bottom = d3.max(network.layers, layer => layer.y + layer.height);
  unit ??= Math.min(Math.max(110, kTallest / bottom), (width - 20) / right);
  const top = network.layers.length > 1 ? 24 : 4;
  return {
    unit, top, height: bottom * unit + top + 8, width: right * unit + 20,
    x: at => 10 + (at + 0.5) * unit, y: at => top + (at + 0.5) * unit,
  };
}

/** Of each link its number among those with the same ends, and how many these are: parallel links, those of several networks. */
function parallelLinks(network) {
  const { from, to, stub_x: stubX, stub_y: stubY } = network.links;
  const groups = new Map();
  from.forEach((_, i) => {
    const ends = [from[i], to[i], stubX[i], stubY[i]].join();
    if (!groups.has(ends)) groups.set(ends, []);
    groups.get(ends).push(i);
  });
  const places = new Array(from.length);
  for (const group of groups.values()) group.forEach((i, number) => { places[i] = { number, count: group.length }; });
  return places;
}

/** Ends of the line of a link, and its `share` of the width of a link that is alone. Parallel links lie side by side. With `apart` it lies to the right of the middle, so that the two directions do not overlap. */
function linkLine(network, scale, i, apart = 1) {
  const { nodes, links } = network;
  const from = links.from[i], to = links.to[i];
  const [x1, y1] = [scale.x(nodes.x[from]), scale.y(nodes.y[from])];
  const stub = links.stub_x[i] !== 0 || links.stub_y[i] !== 0;
  const [dx, dy] = stub ? [links.stub_x[i] * scale.unit, links.stub_y[i] * scale.unit]
    : [scale.x(nodes.x[to]) - x1, scale.y(nodes.y[to]) - y1];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  network.parallel ??= parallelLinks(network);
  const { number, count } = network.parallel[i];
  const lane = scale.unit * 0.15 * (number + 0.5) / count * apart;
  const begin = scale.unit * 0.2;
  const end = stub ? scale.unit * (Math.abs(links.stub_x[i] * links.stub_y[i]) > 0 ? 0.52 : 0.46) : length - scale.unit * 0.2;
  return { x1: x1 + ux * begin - uy * lane, y1: y1 + uy * begin + ux * lane,
    x2: x1 + ux * end - uy * lane, y2: y1 + uy * end + ux * lane, share: Math.min(1, 1.35 / count) };
}

function drawLayersAndNodes(svg, network, scale) {
  if (network.layers.length > 1) {
    for (const layer of network.layers) {
      svg.append('text').attr('class', 'label').attr('x', scale.x(layer.x) - scale.unit * 0.3)
        .attr('y', scale.y(layer.y) - scale.unit * 0.55).text(layer.name);
    }
  }
  const side = scale.unit * 0.34;
  const nodes = svg.append('g').attr('fill', 'var(--panel)').attr('stroke', 'var(--line)');
  network.nodes.name.forEach((_, i) => nodes.append('rect').attr('x', scale.x(network.nodes.x[i]) - side / 2)
    .attr('y', scale.y(network.nodes.y[i]) - side / 2).attr('width', side).attr('height', side).attr('rx', side / 8));
  const font = nameFont(network, scale);
  if (font === 0) return;
  const names = svg.append('g').attr('text-anchor', 'middle');
  network.nodes.name.forEach((name, i) => names.append('text').style('font-size', `${font}px`)
    .attr('x', scale.x(network.nodes.x[i])).attr('y', scale.y(network.nodes.y[i]) + 3).text(shortName(name)));
}

/** The map of a large network: a square for each node, coloured by the largest value of its output links. */
function drawDensity(svg, run, scale, value, max, tell) {
  const { nodes, links } = run.network;
  const most = new Float64Array(nodes.name.length);
  const which = new Int32Array(nodes.name.length).fill(-1);
  links.from.forEach((from, i) => {
    if (which[from] < 0 || value(i) > most[from]) { most[from] = value(i); which[from] = i; }
  });
  const canvas = document.createElement('canvas');
  const ratio = window.devicePixelRatio || 1;
  canvas.width = scale.width * ratio;
  canvas.height = scale.height * ratio;
  canvas.style.width = `${scale.width}px`;
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  const side = Math.max(0.6, scale.unit * 0.92);
  for (let i = 0; i < most.length; ++i) {
    context.fillStyle = most[i] > 0 ? heat(most[i] / max) : isDark() ? '#2c3138' : '#e4e7eb';
    context.fillRect(scale.x(nodes.x[i]) - side / 2, scale.y(nodes.y[i]) - side / 2, side, side);
  }
  const drawing = svg.node().parentNode;
  svg.remove();
  drawing.append(canvas);
  const finder = d3.quadtree(d3.range(most.length), i => scale.x(nodes.x[i]), i => scale.y(nodes.y[i]));
  canvas.addEventListener('mousemove', event => {
    const box = canvas.getBoundingClientRect();
    const node = finder.find(event.clientX - box.x, event.clientY - box.y, scale.unit);
    if (node !== undefined && which[node] >= 0) showTip(tell(which[node]), event.clientX, event.clientY);
  });
  canvas.addEventListener('mouseleave', hideTip);
}

function networkSection(run) {
  const links = linksOf(run);
  const isStalled = run.channels.stalled_flit_cycles.some(value => value > 0);
  const part = section('network', 'Channels', isStalled
    ? 'Where traffic goes, and where flits wait. A blocked worm passes its stall upstream: follow the path ' +
      'downstream to the channel that is busy.'
    : 'Where traffic goes. No flit ever waited for a channel.');
  let measure = 'utilisation';
  let showsCycle = run.result.deadlock !== null;
  const values = i => links.measures[measure].value(i);
  const tell = i => `${links.name(i)}\n` + Object.values(links.measures)
    .map(each => `${each.label}: ${each.text(each.value(i))}`).join('\n') +
    (run.channels.longest_wait_message[i] ? `\n${run.channels.longest_wait_message[i]} waited` +
      (run.channels.longest_wait_culprit[i] ? ` because of ${run.channels.longest_wait_culprit[i]}` : '') : '');
  const ramp = element('span', { class: 'soft' });
  const gradient = element('canvas', { class: 'ramp', width: 160, height: 10 });
  const tools = [choice('Colour and width:', Object.entries(links.measures)
    .map(([value, { label }]) => ({ value, label })), measure, chosen => { measure = chosen; drawn.redraw(); })];
  if (run.result.deadlock) {
    tools.push(tick('dependency cycle of the deadlock', true, checked => { showsCycle = checked; drawn.redraw(); }));
  }
  tools.push(element('span', { class: 'legend' }, element('span', {}, '0', gradient, ramp)));
  const many = links.count > kLinksDrawn;
  const drawn = chart(part, {
    name: `${data.title}-channels`, label: 'The channels of the network', tools,
    height: width => networkScale(run.network, width).height,
    caption: many ? 'A square is a node, with the largest value of its output links.'
      : run.network.links.stub_x.some(value => value !== 0) || run.network.links.stub_y.some(value => value !== 0)
        ? 'The two directions of a link are drawn side by side, each on the right of its own. Stubs are wrap-around links' +
          (run.network.layers.length > 1 ? ' or, diagonal, links to other layers.' : '.')
        : 'The two directions of a link are drawn side by side, each on the right of its own.',
    draw(svg, width) {
      const scale = networkScale(run.network, width);
      const max = d3.max(d3.range(links.count), values) || 1;
      ramp.textContent = links.measures[measure].text(max);
      const context = gradient.getContext('2d');
      for (let x = 0; x < 160; ++x) { context.fillStyle = heat(x / 159); context.fillRect(x, 0, 1, 10); }
      if (many) { drawDensity(svg, run, scale, values, max, tell); return; }
      svg.attr('width', Math.max(width, scale.width));
      const order = d3.range(links.count).sort((a, b) => values(a) - values(b));
      const widest = Math.max(1.5, scale.unit * 0.1);
      telling(svg.append('g').attr('stroke-linecap', 'round').selectAll('line').data(order).enter().append('line')
        .each(function (i) {
          const line = linkLine(run.network, scale, i);
          const share = values(i) / max;
          d3.select(this).attr('x1', line.x1).attr('y1', line.y1).attr('x2', line.x2).attr('y2', line.y2)
            .attr('stroke', values(i) > 0 ? heat(share) : 'var(--empty)')
            .attr('stroke-width', Math.max(1, widest * line.share * (0.3 + 0.7 * share)));
        }), tell);
      drawLayersAndNodes(svg, run.network, scale);
      if (showsCycle) drawCycleOnNetwork(svg, run, scale, links);
    },
    numbers: () => ({
      columns: ['channel', ...Object.keys(run.channels)],
      rows: d3.range(links.count).sort((a, b) => values(b) - values(a)).map(i => [links.name(i),
        ...Object.keys(run.channels).map(key => run.channels[key][i])]),
    }),
  });

  const worst = run.result.worst_channels;
  if (worst.length > 0) {
    part.append(element('h3', {}, 'Flits waited most for these channels'), table(
      ['channel', 'flit-cycles', 'mostly', 'busy', 'its longest wait, to the root'],
      worst.map(channel => [channel.channel, channel.stalled_flit_cycles,
        kCauses.reduce((a, b) => channel.stalls[b] > channel.stalls[a] ? b : a), percent(channel.utilisation), channel.text]),
      { words: [4] }));
  }
}

/** Draws held channels as solid and requested channels as dashed lines, in the colour of the worm. */
function drawCycleOnNetwork(svg, run, scale, links) {
  const numberOf = new Map(d3.range(links.count).map(i => [links.name(i), i]));
  run.result.deadlock.dependency_cycle.forEach((worm, place) => {
    for (const [channel, dash, lift] of [...worm.holds.map(held => [held, null, 0]), [worm.wants, '5 4', 0.07]]) {
      const i = numberOf.get(channel.channel);
      if (i === undefined) continue;
      const line = linkLine(run.network, scale, i);
      const length = Math.hypot(line.x2 - line.x1, line.y2 - line.y1) || 1;
      const [nx, ny] = [-(line.y2 - line.y1) / length * scale.unit * lift, (line.x2 - line.x1) / length * scale.unit * lift];
      svg.append('line').attr('x1', line.x1 + nx).attr('y1', line.y1 + ny).attr('x2', line.x2 + nx).attr('y2', line.y2 + ny)
        .attr('stroke', colourOf(place)).attr('stroke-width', dash ? 2.5 : 4).attr('stroke-dasharray', dash)
        .attr('pointer-events', 'none');
    }
  });
}

// --- Routing table ---------------------------------------------------------------------------------------------

/** Draws the cycles along which nodes relay packets, each in a colour, and the links that supply nodes beside them. */
function tableSection(run) {
  const { cycles, supply } = run.table;
  const part = section('table', 'Routing table', 'Nodes relay packets along the cycles of the table, in both directions' +
    (supply.length > 0 ? '; thin arrows are links that supply nodes beside them.' : '.'));
  part.append(legendOf(cycles.map(({ name }) => name)));
  const links = linksOf(run);
  const owner = new Map(cycles.flatMap((cycle, i) => cycle.links.map(link => [link, i])));
  chart(part, {
    name: `${data.title}-table`, label: 'The cycles of the routing table', height: width => networkScale(run.network, width).height,
    draw(svg, width) {
      const scale = networkScale(run.network, width);
      defineArrow(svg, 'supply', 7);
      const drawn = [...owner.keys(), ...supply];
      telling(svg.append('g').selectAll('line').data(drawn).enter().append('line').each(function (i) {
        const line = linkLine(run.network, scale, i, owner.has(i) ? 0 : 1);
        d3.select(this).attr('x1', line.x1).attr('y1', line.y1).attr('x2', line.x2).attr('y2', line.y2)
          .attr('stroke', owner.has(i) ? colourOf(owner.get(i)) : 'var(--soft)').attr('stroke-width', owner.has(i) ? 3 : 1)
          .attr('marker-end', owner.has(i) ? null : 'url(#supply)');
      }), i => `${links.name(i)}\n${owner.has(i) ? cycles[owner.get(i)].name : 'supplies a node'}`);
      drawLayersAndNodes(svg, run.network, scale);
    },
    numbers: () => ({ columns: ['channel', 'cycle'], rows: [...[...owner].map(([link, i]) => [links.name(link), cycles[i].name]),
      ...supply.map(link => [links.name(link), ''])] }),
  });
}

// --- Why not 100% ----------------------------------------------------------------------------------------------

const kChannelsShown = 24;

/** Shows the cycles of a channel: busy, or idle for one root cause. */
function channelTimeSection(run) {
  const links = linksOf(run);
  const causes = run.channel_time;
  const busy = causes.find(cause => cause.name === 'busy');
  const waited = i => run.channels.stalled_flit_cycles[i];
  const orders = { busiest: i => busy.cycles[i], 'waited for most': waited };
  let order = run.channels.stalled_flit_cycles.some(value => value > 0) ? 'waited for most' : 'busiest';
  const used = d3.range(links.count).filter(i => busy.cycles[i] > 0 || waited(i) > 0);
  if (used.length === 0) return;
  const part = section('why', 'Why not 100%', 'What channels do in the cycles of the run. Idle cycles have one cause each, ' +
    'at the root: a channel that waits for a blocked worm is idle for what that worm waits for.');
  const chosen = () => used.sort((a, b) => orders[order](b) - orders[order](a) || busy.cycles[b] - busy.cycles[a])
    .slice(0, kChannelsShown);
  const present = causes.filter(cause => cause.cycles.some(value => value > 0));
  part.append(legend(present.map(cause => ({ name: cause.text, colour: cause.colour }))));
  const drawn = chart(part, {
    name: `${data.title}-channel-cycles`, label: 'What channels do', height: stackedHeight(chosen()),
    tools: [choice(`The ${Math.min(kChannelsShown, used.length)} channels`, Object.keys(orders), order, value => {
      order = value;
      drawn.redraw();
    })],
    draw(svg, width) {
      const rows = chosen().map(i => ({ name: links.name(i), parts: causes.map(cause => ({ name: cause.name, value: cause.cycles[i], cause })) }));
      stackedRows(svg, width, rows, { colours: name => causes.find(cause => cause.name === name).colour, unit: 'cycles',
        tell: part => `${part.row.name}: ${counted(part.value, 'cycle', 'cycles')}, ${percent(part.value / run.result.cycles)}\n${part.cause.text}` });
    },
    numbers: () => ({ columns: ['channel', ...causes.map(cause => cause.name)], rows: d3.range(links.count).map(i =>
      [links.name(i), ...causes.map(cause => cause.cycles[i])]) }),
  });
}
