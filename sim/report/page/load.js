'use strict';
// A load curve: latency against offered load, what the network accepts, and where it saturates.

function showLoad() {
  const { curve } = data;
  const { points } = curve;
  const saturation = curve.saturation_flits_per_node_cycle;
  const ideal = curve.ideal_saturation_flits_per_node_cycle;
  const zeroLoad = curve.zero_load_latency_cycles;
  const isVerified = points.every(point => point.verified);
  verdict(isVerified ? 'verified' : 'not verified', isVerified);
  heading.append(element('dl', { class: 'facts' },
    fact('saturation', 'saturation', saturation, 'flits/node/cycle'),
    fact('ideal', 'at best', ideal, 'flits/node/cycle; then a link is always busy'),
    fact('zero_load', 'zero-load latency', zeroLoad, 'cycles'),
    fact('points', 'points', points.length)));

  const marks = [];
  if (saturation !== null) marks.push({ at: saturation, name: `saturation ${shown(saturation)}` });
  if (ideal !== null) marks.push({ at: ideal, name: `at best ${shown(ideal)}` });
  const steady = points.filter(point => point.status === 'ok' && point.latency_mean_cycles !== null);
  const tell = point => `offered ${shown(point.offered)}, accepted ${shown(point.accepted)}\nlatency: mean ` +
    `${shown(point.latency_mean_cycles)}${point.ci95_cycles ? ` ± ${shown(point.ci95_cycles)}` : ''}, ` +
    `99% ${shown(point.latency_p99_cycles)} cycles`;
  let logY = false;
  let cut = zeroLoad !== null;
  const latencies = section('latency', 'Latency against load', 'Cycles from the creation of a message. ' +
    'Points that are saturated have no latency: it would grow for as long as one measures. Bars are 95% confidence intervals of the mean.');
  const series = () => [
    { name: 'mean', points: steady.map(point => ({ x: point.offered, y: point.latency_mean_cycles,
      low: point.latency_mean_cycles - (point.ci95_cycles ?? 0), high: point.latency_mean_cycles + (point.ci95_cycles ?? 0), tell: tell(point) })) },
    { name: '99%', points: steady.map(point => ({ x: point.offered, y: point.latency_p99_cycles, tell: tell(point) })) },
    { name: 'mean, in the network', points: steady.map(point => ({ x: point.offered, y: point.network_latency_mean_cycles, tell: tell(point) })) },
    ...(points[0]?.classes ?? []).map((each, i) => ({ name: `mean of ${each.name}`, points: steady
      .filter(point => point.classes[i].latency_mean_cycles !== null)
      .map(point => { const own = point.classes[i]; return { x: point.offered, y: own.latency_mean_cycles,
        low: own.latency_mean_cycles - (own.ci95_cycles ?? 0), high: own.latency_mean_cycles + (own.ci95_cycles ?? 0), tell: tell(point) }; }) })),
  ];
  latencies.append(legend(series().map((each, i) => ({ name: each.name, colour: colourOf(i) }))));
  const drawn = chart(latencies, {
    name: `${data.title}-latency`, label: 'Latency against offered load', height: 380,
    tools: [tick('logarithmic', logY, checked => { logY = checked; drawn.redraw(); }),
      zeroLoad === null ? null : tick('up to six times the zero-load latency', cut, checked => { cut = checked; drawn.redraw(); })],
    draw: (svg, width, height) => lines(svg, width, height, { series: series(), marks, logY, xLabel: 'offered load (flits/node/cycle)',
      yLabel: 'latency (cycles)', yMax: cut ? 6 * zeroLoad : null }),
    numbers: () => pointNumbers(points),
  });

  const accepted = section('accepted', 'Accepted against offered', 'What the network delivers of what it is given.');
  chart(accepted, {
    name: `${data.title}-accepted`, label: 'Accepted against offered load', height: 300,
    draw: (svg, width, height) => lines(svg, width, height, { marks, xLabel: 'offered load (flits/node/cycle)',
      yLabel: 'accepted (flits/node/cycle)', series: [{ name: 'accepted', points: points.map(point =>
        ({ x: point.offered, y: point.accepted, tell: tell(point) })) }] }),
    numbers: () => pointNumbers(points),
  });

  const stalled = section('stalls', 'Why flits waited', 'Stalled flit-cycles of the measurement, by cause.');
  stalled.append(legend(kStallCauses.map(({ name, text, colour }) => ({ name: `${name}: ${text}`, colour }))));
  const rows = points.map(point => ({ name: shown(point.offered), parts: kCauses.map(cause => ({ name: cause, value: point.stalls[cause] })) }));
  chart(stalled, {
    name: `${data.title}-stalls`, label: 'Stalls by load', height: stackedHeight(rows),
    draw: (svg, width) => stackedRows(svg, width, rows, { colours: name => causeOf(name).colour, unit: 'flit-cycles',
      tell: part => `at ${part.row.name}: ${part.name} ${whole(part.value)} flit-cycles` }),
    numbers: () => ({ columns: ['offered', ...kCauses], rows: points.map(point => [point.offered, ...kCauses.map(cause => point.stalls[cause])]) }),
  });
  const list = section('points', 'All points');
  const { columns: names, rows: cells } = pointNumbers(points);
  list.append(table(names, cells));
  configSection();
}

function pointNumbers(points) {
  const keys = Object.keys(points[0] ?? {}).filter(key => typeof points[0][key] !== 'object' || points[0][key] === null);
  return { columns: [...keys, 'busiest_channel'], rows: points.map(point => [...keys.map(key => point[key]), point.busiest_channel?.channel ?? '']) };
}
