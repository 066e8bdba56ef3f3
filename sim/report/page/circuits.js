'use strict';
// A run on a circuit network: flits from each node to each other as a matrix, and the states of the ports.

const kPortStates = ['sending', 'tuning', 'connected', 'dark'];
const kPortStateWords = {
  sending: 'sends a message', tuning: 'is being tuned to another node', connected: 'holds a circuit and sends nothing',
  dark: 'was never tuned',
};

function circuitSections(run) {
  if (run.pairs) matrixSection(run);
  portsSection(run);
}

function matrixSection(run) {
  const { pairs } = run;
  const nodes = run.result.nodes;
  const part = section('network', 'Circuits', 'A row a sender, a column a receiver.');
  const max = d3.max(pairs.flits) || 1;
  chart(part, {
    name: `${data.title}-circuits`, label: 'Who sends to whom', height: width => Math.min(640, width),
    draw(svg, width, height) {
      const side = Math.max(200, Math.min(width, height) - 60);
      const band = d3.scaleLinear().domain([0, nodes]).range([44, 44 + side]);
      const unit = side / nodes;
      svg.append('rect').attr('x', 44).attr('y', 44).attr('width', side).attr('height', side).attr('fill', 'var(--panel)');
      const names = d3.range(0, nodes, Math.ceil(nodes / Math.min(24, side / 26)));
      const labels = svg.append('g');
      for (const node of names) {
        labels.append('text').attr('class', 'label').attr('x', band(node + 0.5)).attr('y', 38).attr('text-anchor', 'middle').text(node);
        labels.append('text').attr('class', 'label').attr('x', 38).attr('y', band(node + 0.5) + 4).attr('text-anchor', 'end').text(node);
      }
      labels.append('text').attr('class', 'label').attr('x', 44 + side / 2).attr('y', 14).attr('text-anchor', 'middle').text('receiver');
      labels.append('text').attr('class', 'label').attr('text-anchor', 'middle')
        .attr('transform', `translate(12,${44 + side / 2}) rotate(-90)`).text('sender');
      telling(svg.append('g').selectAll('rect').data(d3.range(pairs.source.length)).enter().append('rect')
        .attr('x', i => band(pairs.destination[i])).attr('y', i => band(pairs.source[i]))
        .attr('width', Math.max(1, unit - 0.5)).attr('height', Math.max(1, unit - 0.5)).attr('fill', i => heat(pairs.flits[i] / max)),
      i => `node ${pairs.source[i]} to node ${pairs.destination[i]}: ${counted(pairs.messages[i], 'message', 'messages')}, ` +
        counted(pairs.flits[i], 'flit', 'flits'));
    },
    numbers: () => numbersOf(pairs),
  });
}

function portsSection(run) {
  const { ports } = run;
  const count = ports.node.length;
  const part = section('ports', 'Ports', 'What every port does in the cycles of the run, node by node.');
  part.append(legend(kPortStates.map((state, i) => ({ name: `${state}: ${kPortStateWords[state]}`, colour: colourOf([0, 5, 4, 6][i]) }))));
  // At most kBars ports are drawn, evenly chosen; the table has all.
  const drawn = d3.range(0, count, Math.ceil(count / kBars));
  chart(part, {
    name: `${data.title}-ports`, label: 'Cycles of the ports by state', height: 240,
    draw(svg, width, height) {
      const x = d3.scaleLinear().domain([0, drawn.length]).range([kMargin.left, width - kMargin.right]);
      const y = d3.scaleLinear().domain([0, run.result.cycles || 1]).range([height - kMargin.bottom, kMargin.top]);
      axes(svg, width, height, x, y, 'port (in the order of nodes)', 'cycles');
      const unit = x(1) - x(0);
      const marks = drawn.flatMap((port, place) => {
        let sum = 0;
        return kPortStates.map((state, i) => {
          const value = ports[`${state}_cycles`][port];
          sum += value;
          return { port, place, state, value, top: sum, colour: colourOf([0, 5, 4, 6][i]) };
        }).filter(mark => mark.value > 0);
      });
      telling(svg.append('g').selectAll('rect').data(marks).enter().append('rect').attr('x', mark => x(mark.place))
        .attr('width', Math.max(0.6, unit - (unit > 4 ? 1 : 0))).attr('y', mark => y(mark.top))
        .attr('height', mark => y(0) - y(mark.value)).attr('fill', mark => mark.colour),
      mark => `node ${ports.node[mark.port]} port ${ports.port[mark.port]}: ${mark.state} ${counted(mark.value, 'cycle', 'cycles')}\n` +
        `${counted(ports.messages[mark.port], 'message', 'messages')}, ${counted(ports.tunings[mark.port], 'tuning', 'tunings')}`);
    },
    numbers: () => numbersOf(ports),
  });
}
