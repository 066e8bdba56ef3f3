'use strict';
// What nodes do: a map and bars of any measure; and the critical path of a schedule.

const kNodeMeasures = {
  accepted: 'accepted (flits/cycle)', offered: 'offered (flits/cycle)', waiting_cycles: 'waits for data (cycles)',
  computing_cycles: 'computes (cycles)',
  finished_cycle: 'finished (cycle)', sending_cycles: 'sends (cycles)', idle_cycles: 'has finished (cycles)',
  queueing_cycles: 'messages wait in its network interface (message-cycles)', sent_flits: 'sent flits', delivered_flits: 'sent flits that arrived', arrived_flits: 'arrived flits',
  ...Object.fromEntries(kStallCauses.map(({ name }) => [`head_${name}_cycles`, `heads of its messages: ${name} (cycles)`])),
};

/** The nodes that wait or accept, in words: the first paragraph of the page. */
function nodesInWords(result) {
  const { per_node: nodes, critical_path: path } = result;
  const words = [];
  if (nodes?.fairness !== undefined) {
    words.push(`Nodes accept ${shown(nodes.accepted_min)} (${nodeText(nodes.accepted_min_node)}) to ${shown(nodes.accepted_max)} ` +
      `(${nodeText(nodes.accepted_max_node)}) flits/cycle; fairness ${shown(nodes.fairness)} (Jain's index).`);
    if (nodes.delivered_fairness !== undefined) {
      words.push(`Those that send deliver ${shown(nodes.delivered_min)} (${nodeText(nodes.delivered_min_node)}) to ` +
        `${shown(nodes.delivered_max)} (${nodeText(nodes.delivered_max_node)}) flits/cycle; fairness ${shown(nodes.delivered_fairness)}.`);
    }
  } else if (nodes && nodes.waiting_max_cycles > 0) {
    words.push(`Node ${nodeText(nodes.waiting_max_node)} waits longest for data: ${counted(nodes.waiting_max_cycles, 'cycle', 'cycles')}` +
      (nodes.waits_most_for === null ? '.' : `, ${whole(nodes.waits_most_cycles)} of them for ${nodeText(nodes.waits_most_for)}.`));
  }
  if (path && path.channel !== null) {
    words.push(`The critical path, ${counted(path.messages, 'message', 'messages')}, spends ${whole(path.channel_cycles)} of ` +
      `${counted(result.cycles, 'cycle', 'cycles')} over or behind ${path.channel}.`);
  }
  return words.length === 0 ? null : element('p', { id: 'waits' }, words.join(' '));
}

function nodesSection(run) {
  const { nodes } = run;
  if (!nodes || nodes.node.length === 0) return;
  const place = new Map(run.network.nodes.name.map((name, i) => [name, i]));
  const measures = Object.keys(kNodeMeasures).filter(key => key in nodes);
  const value = i => Number(nodes[measure][i]);
  let measure = measures[0];
  const part = section('nodes', 'Nodes', run.result.traffic ? 'Each node over the measurement.'
    : 'Each node of the whole run: it sends while a message of its own is on its way; it waits while none is, one that it sends or receives follows, and data or the end of a step is missing; it computes likewise, but after what the next one waits for longest has happened there.');
  const tell = i => `node ${nodes.node[i]}\n` + measures.map(key => `${kNodeMeasures[key]}: ${shown(Number(nodes[key][i]))}`).join('\n') +
    (nodes.waits_most_for?.[i] ? `\nwaits most for ${nodes.waits_most_for[i]}: ${whole(nodes.waits_most_cycles[i])} cycles` : '');
  const tools = [choice('Colour:', measures.map(key => ({ value: key, label: kNodeMeasures[key] })), measure,
    chosen => { measure = chosen; drawn.redraw(); bars.redraw(); })];
  const drawn = chart(part, {
    name: `${run.title}-nodes`, label: 'Nodes', tools, height: width => networkScale(run.network, width).height,
    draw(svg, width) {
      const scale = networkScale(run.network, width);
      drawLayersAndNodes(svg, run.network, scale);
      const most = d3.max(nodes.node, (_, i) => value(i)) || 1;
      const side = scale.unit * 0.34;
      telling(svg.append('g').attr('fill-opacity', 0.75).selectAll('rect').data(d3.range(nodes.node.length)
        .filter(i => place.has(String(nodes.node[i])))).enter().append('rect')
        .attr('x', i => scale.x(run.network.nodes.x[place.get(String(nodes.node[i]))]) - side / 2)
        .attr('y', i => scale.y(run.network.nodes.y[place.get(String(nodes.node[i]))]) - side / 2).attr('width', side).attr('height', side)
        .attr('fill', i => heat(value(i) / most)), tell);
    },
    numbers: () => numbersOf(nodes),
  });
  const bars = chart(part, {
    name: `${run.title}-nodes-bars`, label: 'Nodes by number', height: 200,
    draw: (svg, width, height) => columns(svg, width, height, { from: -0.5, step: 1, values: nodes.node.map((_, i) => value(i)),
      xLabel: 'node, by number', yLabel: kNodeMeasures[measure].replace(/.*\((.*)\)$/, '$1'), tell: (_, i) => tell(i) }),
    numbers: () => numbersOf(nodes),
  });
}

function criticalPathSection(run) {
  const path = run['critical-path'];
  if (!path || path.step.length < 2) return;
  const part = section('critical-path', 'Critical path', 'Messages, each released by the one before it; the last is the ' +
    'last to arrive. Only what shortens one of them ends the run earlier.');
  part.append(table(['message', 'from', 'to', 'ready', 'arrived', 'cycles', 'startup', 'queueing', 'hops', 'head stalled', 'hol_blocked',
    'serialization', 'tail serialization', 'longest wait, to the root'],
  path.step.map((step, i) => [`${step}.${path.message[i]}`, path.source[i], path.destination[i], path.ready_cycle[i], path.arrival_cycle[i],
    path.arrival_cycle[i] - path.ready_cycle[i], path.startup_cycles[i], path.queueing_cycles[i], path.hops_cycles[i],
    d3.sum(kCauses, cause => path[`head_${cause}_cycles`][i]), path.hol_blocked_cycles[i], path.serialization_cycles[i],
    path.tail_serialization_cycles[i], path.longest_wait[i]]), { words: [13] }));
}

/** The numbers of the messages of the critical path in a replay. */
function criticalMessages(run, byLabel) {
  const path = run['critical-path'];
  return new Set(path ? path.step.map((step, i) => byLabel.get(`${step}.${path.message[i]}`)).filter(message => message !== undefined) : []);
}
