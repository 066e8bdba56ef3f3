'use strict';
// A run: status, steps, stalls, latencies, messages, deadlock.

function showRun() {
  const { result } = data;
  const words = { completed: 'completed', deadlock: 'deadlock', 'goal-missed': 'goal missed', limit: 'limit of cycles' };
  if (result.traffic?.status === 'saturated') verdict('saturated', false);
  else verdict(result.verified ? 'completed and verified' : words[result.status] ?? result.status, result.verified);
  for (const check of result.failed_checks) heading.append(element('p', { class: 'bad' }, `✗ ${check}`));
  heading.append(runFacts(result), ...simulatedTable(result));
  const waits = nodesInWords(result);
  if (waits) heading.append(waits);
  if (result.deadlock) deadlockSection(result.deadlock);
  if (data.steps.step.length > 0) stepsSection(result);
  if (data.network) {
    stallsSection(result);
    networkSection(data);
    nodesSection(data);
    criticalPathSection(data);
    if (data.table && data.network.links.from.length <= kLinksDrawn) tableSection(data);
    if (data.channel_time) channelTimeSection(data);
  } else {
    circuitSections(data);
  }
  if (result.protocol) protocolSection(result);
  latencySection(result);
  if (result.traffic?.classes) classesSection(result.traffic.classes);
  if (result.energy) energySection(result);
  if (data.windows) windowsSection(data.windows);
  if (result.worst_messages.length > 0) worstMessagesSection(result.worst_messages);
  if (data.replay) replaySection(data);
  if (data.replay_is_too_long) {
    section('replay', 'Replay', 'The flit trace is longer than 256 MiB, too long for a page. observe.filter makes it shorter: ' +
      'some cycles, or some messages.');
  }
  configSection();
}

/** "claimed 4, lower bound 3", of which either may be unknown. */
const boundsText = (claimed, lowerBound) => [['claimed', claimed], ['lower bound', lowerBound]]
  .filter(([, value]) => value !== null).map(([name, value]) => `${name} ${whole(value)}`).join(', ');

function runFacts(result) {
  const { latency, circuits, traffic } = result;
  const facts = [fact('cycles', 'cycles', result.cycles, timeText(result.cycles).trim())];
  if (!traffic) {
    facts.push(fact('steps', 'steps', result.steps, boundsText(result.claimed_steps, result.lower_bound_steps)));
  }
  if (circuits) {
    facts.push(fact('units', 'units of a message', circuits.units, boundsText(circuits.claimed_units, circuits.lower_bound_units)),
      fact('tunings', 'tunings', circuits.tunings));
  }
  if (traffic && !result.deadlock) {
    facts.push(fact('offered', 'offered', traffic.offered, `flits/node/cycle${rateText(traffic.offered_GBps)}`),
      fact('accepted', 'accepted', traffic.accepted, `flits/node/cycle${rateText(traffic.accepted_GBps)}`));
  }
  facts.push(fact('messages', 'messages', result.messages), fact('flits', 'flits', result.flits));
  if (!circuits) facts.push(fact('flit_hops', 'flit-hops', result.flit_hops));
  if (latency.messages > 0) {
    facts.push(fact('latency', 'mean latency', latency.mean,
      `cycles${timeText(latency.mean)}; median ${shown(latency.p50)}, 99% ${shown(latency.p99)}, 99.9% ${shown(latency.p999)}, max ${shown(latency.max)}${timeText(latency.max)}`));
  }
  if (!circuits) {
    facts.push(fact('stalls', 'stalled flit-cycles', d3.sum(Object.values(result.stalls))));
    if (!traffic) facts.push(fact('max_channel_load', 'messages of a step on one channel', result.max_channel_load, 'at most'));
  }
  facts.push(fact('nodes', 'nodes', result.nodes));
  if (result.collective) facts.push(fact('bus', 'bus bandwidth', result.collective.bus_GBps, 'GB/s'));
  return element('dl', { class: 'facts' }, facts);
}

/** What was asked for beside what is simulated; more than 0.1% apart is marked. */
function simulatedTable(result) {
  if (result.simulated.length === 0) return [];
  return [element('h3', {}, 'As asked and as simulated'), table(['key', 'asked', 'simulated', 'difference', ''],
    result.simulated.map(({ key, asked, simulated, difference }) =>
      [key, asked, simulated, percentOf(difference), Math.abs(difference) > 0.001 ? 'WARNING: more than 0.1%' : '']))];
}
const percentOf = difference => d3.format('+.2~%')(difference);

// --- Steps -----------------------------------------------------------------------------------------------------

const kBars = 800;

function stepsSection(result) {
  const { steps } = data;
  const bounds = [`${counted(result.steps, 'step', 'steps')}.`];
  if (result.claimed_steps !== null) {
    bounds.push(result.steps === result.claimed_steps ? 'As many as its source claims.'
      : `Its source claims ${whole(result.claimed_steps)}.`);
  }
  if (result.lower_bound_steps !== null) bounds.push(`No algorithm needs fewer than ${whole(result.lower_bound_steps)}.`);
  const part = section('steps', 'Steps', bounds.join(' '));
  const measures = {
    cycles: 'cycles', messages: 'messages', flits: 'flits',
    busiest_channel_messages: 'messages on the busiest channel', shared_channels: 'channels with several messages',
  };
  if (!data.network) { delete measures.busiest_channel_messages; delete measures.shared_channels; }
  let measure = steps.cycles.some(cycles => cycles > 0) ? 'cycles' : 'messages';
  const tellStep = i => `step ${steps.step[i]}: ${counted(steps.cycles[i], 'cycle', 'cycles')}${timeText(steps.cycles[i])}, from ${whole(steps.begin_cycle[i])} ` +
    `to ${whole(steps.end_cycle[i])}${timeText(steps.end_cycle[i])}\n${counted(steps.messages[i], 'message', 'messages')}, ${whole(steps.flits[i])} flits` +
    (steps.arrived[i] < steps.messages[i] ? `\nonly ${whole(steps.arrived[i])} arrived` : '') +
    (steps.busiest_channel[i] ? `\nbusiest channel ${steps.busiest_channel[i]}: ` +
      counted(steps.busiest_channel_messages[i], 'message', 'messages') : '');
  const marks = [];
  if (result.claimed_steps !== null) marks.push({ at: result.claimed_steps + 0.5, name: 'claimed' });
  if (result.lower_bound_steps !== null) marks.push({ at: result.lower_bound_steps + 0.5, name: 'lower bound' });
  const drawn = chart(part, {
    name: `${data.title}-steps`, label: 'Steps', height: 240,
    tools: [choice('Height:', Object.entries(measures).map(([value, label]) => ({ value, label })), measure,
      chosen => { measure = chosen; drawn.redraw(); })],
    draw(svg, width, height) {
      // With more than kBars steps a bar shows the largest of several.
      const step = Math.ceil(steps.step.length / kBars);
      const largest = d3.range(0, steps.step.length, step).map(from =>
        d3.range(from, Math.min(from + step, steps.step.length)).reduce((a, b) => steps[measure][b] > steps[measure][a] ? b : a));
      columns(svg, width, height, { from: 0.5, step, values: largest.map(i => steps[measure][i]),
        xLabel: 'step', yLabel: measures[measure], tell: (_, i) => tellStep(largest[i]), marks });
    },
    numbers: () => numbersOf(steps),
  });
  if (result.stages.length > 1) {
    part.append(element('h3', {}, 'Stages'), table(['stage', 'first step', 'last step', 'cycles'],
      result.stages.map(stage => [stage.name, stage.first_step, stage.last_step, stage.cycles])));
  }
}

// --- Stalls ----------------------------------------------------------------------------------------------------

function stallsSection(result) {
  const total = d3.sum(Object.values(result.stalls));
  if (total === 0) return;
  const part = section('stalls', 'Stalls',
    'A flit is stalled in a cycle in which it is at the front of its buffer, has spent its delays, and does not leave.');
  const rows = kCauses.map(cause => ({ name: cause, parts: [{ name: cause, value: result.stalls[cause] }] }));
  chart(part, {
    name: `${data.title}-stalls`, label: 'Stalled flit-cycles by cause', height: stackedHeight(rows),
    draw(svg, width) {
      stackedRows(svg, width, rows, { colours: name => causeOf(name).colour, unit: 'flit-cycles',
        tell: part => `${part.name}: ${whole(part.value)} flit-cycles, ${percent(part.value / total)}\n${causeOf(part.name).text}` });
    },
    numbers: () => ({ columns: ['cause', 'flit_cycles', 'meaning'], rows: kCauses.map(cause =>
      [cause, result.stalls[cause], causeOf(cause).text]) }),
  });
  if (!result.message_classes) return;
  part.append(element('h3', {}, 'Message classes'), table(
    ['class', 'messages', 'flits', 'mean latency', 'longest', ...kCauses],
    result.message_classes.map(each => [each.name, each.messages, each.flits, each.latency_mean, each.latency_max,
      ...kCauses.map(cause => each.stalls[cause])])));
}

// --- Latencies -------------------------------------------------------------------------------------------------

const kTermWords = {
  startup: 'preparation of the message', queueing: 'wait at the source for an injection channel',
  hops: 'routers and links of the path', hol_blocked: 'head: behind flits of an earlier message',
  serialization: 'flits behind the head', tail_injection: 'tail: waited in the network interface',
  flits: 'flits of the message',
  ...Object.fromEntries(kStallCauses.flatMap(({ name, short_text: text }) =>
    ['head', 'tail'].map(part => [`${part}_${name}`, `${part}: ${text}`]))),
};

function latencySection(result) {
  if (result.latency.messages === 0) return;
  const { latency } = data;
  const part = section('latency', 'Latencies', 'From the moment a message is ready to the arrival of its tail.');
  distributionOfRun(part, result.latency);
  if (latency === null) {
    part.append(element('p', { class: 'soft' }, 'With ', element('code', {}, '--set observe.messages=true'),
      ' a run writes every message down, and the report shows the terms of latencies.'));
    return;
  }
  const { from, width: binWidth, counts, messages, terms, slowest } = latency;
  if (result.packets) {
    part.append(element('p', { class: 'soft' }, `Of ${whole(messages)} packets, of which messages consist.`));
  } else if (messages !== result.latency.messages) {
    part.append(element('p', { class: 'soft' }, `All ${whole(messages)} messages that arrived; ` +
      `${whole(result.latency.messages)} of them were generated in the measurement.`));
  }
  chart(part, {
    name: `${data.title}-latencies`, label: 'Distribution of latencies', height: 240,
    draw(svg, width, height) {
      columns(svg, width, height, { from: from - 0.5, step: binWidth, values: counts, xLabel: 'latency (cycles)', yLabel: 'messages',
        tell: (count, i) => `${binWidth === 1 ? whole(from + i) : `${whole(from + i * binWidth)} to ${whole(from + (i + 1) * binWidth - 1)}`}` +
          ` cycles: ${counted(count, 'message', 'messages')}, ${percent(count / messages)}`,
        marks: [{ at: result.latency.mean, name: 'mean' }, { at: result.latency.p99, name: '99%' }] });
    },
    numbers: () => ({ columns: ['from_cycles', 'to_cycles', 'messages'], rows: counts.map((count, i) =>
      [from + i * binWidth, from + (i + 1) * binWidth - 1, count]) }),
  });

  const present = terms.filter(term => term.cycles > 0);
  const names = present.map(term => term.name);
  const rows = [
    { name: `all ${whole(messages)}`, parts: present.map(term => ({ name: term.name, value: term.cycles / messages })) },
    { name: `slowest ${whole(slowest)}`, parts: present.map(term => ({ name: term.name, value: term.slowest_cycles / slowest })) },
  ];
  const colours = name => colourOf(names.indexOf(name));
  part.append(element('h3', {}, 'Where the time of a message goes'), legend(present.map(term =>
    ({ name: kTermWords[term.name], colour: colours(term.name) }))));
  chart(part, {
    name: `${data.title}-latency-terms`, label: 'Terms of the mean latency', height: stackedHeight(rows),
    draw(svg, width) {
      stackedRows(svg, width, rows, { colours, unit: 'cycles a message',
        tell: part => `${kTermWords[part.name]}\n${shown(part.value)} cycles a message` });
    },
    numbers: () => ({ columns: ['term', 'meaning', 'cycles', 'cycles_of_slowest'], rows: terms.map(term =>
      [term.name, kTermWords[term.name], term.cycles, term.slowest_cycles]) }),
  });
}

const kQuantiles = ['min', 'median', 'mean', '99%', '99.9%', 'max'];
const quantilesOf = ({ min, p50, mean, p99, p999, max }) => [min, p50, mean, p99, p999, max];

/** The quantiles, and the share of messages that takes longer than a latency. */
function distributionOfRun(part, latency) {
  part.append(table(['messages', ...kQuantiles], [[latency.messages, ...quantilesOf(latency)]]));
  if (data.latencies === null || data.latencies.messages.length < 2) return;
  const { from_cycles: from, to_cycles: to, messages } = data.latencies;
  const bins = from.map((first, i) => [first, to[i], messages[i]]);
  chart(part, {
    name: `${data.title}-distribution`, label: 'Share of messages that take longer', height: 260,
    draw: (svg, width, height) => lines(svg, width, height, { logY: true, xLabel: 'latency (cycles)', yLabel: 'share that takes longer',
      series: [{ name: 'messages', points: tailPoints(bins) }] }),
    numbers: () => ({ columns: ['from_cycles', 'to_cycles', 'messages'], rows: bins }),
  });
}

/** What each class of traffic offers and gets; with a clock also in its units. */
function classesSection(classes) {
  const hasClock = classes[0].accepted_GBps !== undefined;
  section('classes', 'Classes of traffic', 'Rates in flits/node/cycle, latencies in cycles.').append(table(
    ['class', 'pattern', 'offered', 'accepted', 'messages', 'not arrived', ...kQuantiles, '± of the mean (95%)', 'mean in the network',
      ...hasClock ? ['accepted, GB/s', 'mean, ns'] : []],
    classes.map(each => [each.name, each.pattern, each.offered, each.accepted, each.messages, each.undelivered,
      ...quantilesOf(each.latency), each.ci95_cycles, each.network_latency.mean,
      ...hasClock ? [each.accepted_GBps, each.latency.mean_ns] : []])));
}

function worstMessagesSection(messages) {
  const part = section('messages', 'Messages delayed most', 'Cycles beyond those of an empty network, and because of whom.');
  part.append(table(['message', 'from', 'to', 'latency', 'delay', 'queueing', 'head stalled', 'HOL blocked', 'longest wait, to the root'],
    messages.map(message => [message.message, nodeText(message.source), nodeText(message.destination), message.latency_cycles,
      message.delay_cycles, message.queueing_cycles, d3.sum(Object.values(message.head_stall_cycles)), message.hol_blocked_cycles,
      message.text ?? '']), { words: [8] }));
}

// --- Windows of time -------------------------------------------------------------------------------------------

/** Load, latency and stalls in time. */
function windowsSection(windows) {
  const { begin_cycle: begin, end_cycle: end } = windows;
  const part = section('windows', 'In time', 'Messages count in the window in which they were handed over or arrived.');
  const rows = d3.range(begin.length);
  const number = text => text === '' ? null : Number(text);
  const when = i => `cycles ${whole(begin[i])} to ${whole(end[i])}`;
  const line = (name, key, unit) => ({ name, points: rows.map(i => ({ i, y: number(windows[key][i]) })).filter(each => each.y !== null)
    .map(({ i, y }) => ({ x: begin[i], y, tell: `${when(i)}: ${name} ${shown(y)} ${unit}` })) });
  const charts = [
    { id: 'load', label: 'Load in time', yLabel: 'flits/node/cycle', series: [line('offered', 'offered', 'flits/node/cycle'),
      line('accepted', 'accepted', 'flits/node/cycle')] },
    { id: 'latency', label: 'Latency in time', yLabel: 'latency (cycles)', series: [line('mean', 'latency_mean_cycles', 'cycles'),
      line('99%', 'latency_p99_cycles', 'cycles')] },
    { id: 'stalls', label: 'Stalls in time', yLabel: 'flit-cycles', series: kCauses.map(cause =>
      ({ ...line(cause, `${cause}_flit_cycles`, 'flit-cycles'), colour: causeOf(cause).colour })) },
  ];
  for (const { id, label, yLabel, series } of charts) {
    part.append(element('h3', {}, label), legend(series.map((each, i) => ({ name: each.name, colour: each.colour ?? colourOf(i) }))));
    chart(part, { name: `${data.title}-windows-${id}`, label, height: 240,
      draw: (svg, width, height) => lines(svg, width, height, { series, xLabel: 'cycle', yLabel }),
      numbers: () => numbersOf(windows) });
  }
}

// --- Deadlock --------------------------------------------------------------------------------------------------

function deadlockSection(deadlock) {
  const part = section('deadlock', 'Deadlock',
    `${counted(deadlock.dependency_cycle.length, 'worm', 'worms')} in a dependency cycle, deadlocked since cycle ${whole(deadlock.deadlocked_since_cycle)} ` +
    `(detected in cycle ${whole(deadlock.detected_cycle)}). ${counted(deadlock.blocked_buffers, 'VC buffer', 'VC buffers')} and ` +
    `${counted(deadlock.blocked_messages, 'message', 'messages')} are blocked forever. An arrow leads from a worm to the one it waits for.`);
  const dependencyCycle = deadlock.dependency_cycle;
  const label = worm => `${worm.step}.${worm.message}`;
  const held = worm => worm.holds.map(each => `${each.channel} VC ${each.vc}`).join(', ');
  const tell = worm => `worm ${label(worm)}, ${nodeText(worm.source)} to ${nodeText(worm.destination)}, ${worm.flits} flits\n` +
    `holds ${held(worm)}\nwaits at ${nodeText(worm.node)} since cycle ${whole(worm.stalled_since_cycle)} for ` +
    `${worm.wants_room ? 'room behind ' : ''}${worm.wants.channel} VC ${worm.wants.vc}\n${worm.wants_reply ? 'whose node waits to send behind' : 'held by'} worm ${label(dependencyCycle[worm.held_by])}`;
  chart(part, {
    name: `${data.title}-deadlock`, label: 'The dependency cycle of the deadlock',
    height: width => Math.min(520, 240 + 0.3 * width),
    draw(svg, width, height) {
      const radius = Math.max(60, Math.min(width, height) / 2 - 60);
      const disc = Math.max(7, Math.min(22, Math.PI * radius / dependencyCycle.length - 6));
      const angle = i => 2 * Math.PI * i / dependencyCycle.length - Math.PI / 2;
      const at = (i, r) => [width / 2 + r * Math.cos(angle(i)), height / 2 + r * Math.sin(angle(i))];
      defineArrow(svg, 'arrow', 9);
      const turn = Math.min(0.4, (disc + 4) / radius);
      telling(svg.append('g').attr('fill', 'none').attr('stroke', 'var(--soft)').selectAll('path').data(dependencyCycle).enter()
        .append('path').attr('class', 'worm').attr('stroke-width', 2).attr('marker-end', 'url(#arrow)').attr('d', (worm, i) => {
          const [from, to] = [angle(i) + turn, angle(i) + 2 * Math.PI / dependencyCycle.length - turn];
          const point = a => `${width / 2 + radius * Math.cos(a)} ${height / 2 + radius * Math.sin(a)}`;
          return `M${point(from)}A${radius} ${radius} 0 ${to - from > Math.PI ? 1 : 0} 1 ${point(to)}`;
        }), tell);
      telling(svg.append('g').selectAll('circle').data(dependencyCycle).enter().append('circle').attr('r', disc)
        .attr('cx', (_, i) => at(i, radius)[0]).attr('cy', (_, i) => at(i, radius)[1]).attr('fill', (_, i) => colourOf(i)), tell);
      if (dependencyCycle.length > 40) return;
      const discs = d3.range(dependencyCycle.length).map(i => at(i, radius));
      // Names for which there is no room are in the tip.
      const write = (place, distance, anchors, text, kind) => {
        const texts = svg.append('g').attr('pointer-events', 'none');
        dependencyCycle.forEach((worm, i) => {
          const [x, y] = at(i + place, distance);
          const side = Math.cos(angle(i + place));
          texts.append('text').attr('class', kind).attr('x', x).attr('y', y + 4)
            .attr('text-anchor', side > 0.2 ? anchors[0] : side < -0.2 ? anchors[1] : 'middle').text(text(worm));
        });
        if (textsTouch(texts.selectAll('text'), discs, disc)) texts.remove();
      };
      write(0, radius + disc + 10, ['start', 'end'], label, '');
      write(0.5, radius - 12, ['end', 'start'], worm => worm.wants.channel, 'label');
    },
    numbers: () => ({
      columns: ['worm', 'source', 'destination', 'flits', 'holds', 'wants', 'wants_vc', 'wants_room', 'waits_at', 'since_cycle', 'held_by'],
      rows: dependencyCycle.map(worm => [label(worm), nodeText(worm.source), nodeText(worm.destination), worm.flits, held(worm),
        worm.wants.channel, worm.wants.vc, worm.wants_room, nodeText(worm.node), worm.stalled_since_cycle, label(dependencyCycle[worm.held_by])]),
    }),
  });
}

function configSection(words = 'Resolved: it repeats this, number for number.') {
  const part = section('configuration', 'Configuration', words);
  part.append(element('details', { open: data.kind === 'run' && data.config.length < 3000 }, element('summary', {}, 'config.yaml'),
    element('pre', {}, data.config)));
}
