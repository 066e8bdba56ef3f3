'use strict';
// Load curves: latency against offered load, what the network accepts, and where it saturates; one curve, or several together.

const kLatencies = {
  latency_mean_cycles: 'mean', latency_p50_cycles: '50%', latency_p99_cycles: '99%', latency_p999_cycles: '99.9%',
  network_latency_mean_cycles: 'mean, in the network',
};

function showLoad() {
  const curves = data.curve.curves ?? [data.curve];
  const isOne = curves.length === 1;
  const nameOf = each => isOne ? data.title : each.curve;
  const points = curves.flatMap(each => each.points);
  const isVerified = points.every(point => point.verified);
  verdict(isVerified ? 'verified' : 'not verified', isVerified);
  for (const { curve, error } of data.curve.left_out ?? []) heading.append(element('p', { class: 'bad' }, `✗ ${curve}: ${error}`));
  heading.append(isOne ? curveFacts(curves[0]) : element('dl', { class: 'facts' },
    fact('curves', 'curves', curves.length), fact('points', 'points', points.length)));
  if (!isOne) {
    const part = section('summary', 'Summary', 'Latencies in cycles, rates in flits/node/cycle.');
    const keys = Object.keys(curves[0].summary);
    part.append(table(keys.map(key => key.replace(/_(cycles|flits_per_node_cycle)$/, '').replace(/_/g, ' ')),
      curves.map(each => keys.map(key => each.summary[key]))));
  }
  latencyAgainstLoad(curves, isOne, nameOf);
  distributionAtLoad(curves, nameOf);

  const marks = isOne ? marksOf(curves[0]) : [];
  const accepted = section('accepted', 'Accepted against offered', 'What the network delivers of what it is given.');
  if (!isOne) accepted.append(legendOf(curves.map(nameOf)));
  chart(accepted, {
    name: `${data.title}-accepted`, label: 'Accepted against offered load', height: 300,
    draw: (svg, width, height) => lines(svg, width, height, { marks, xLabel: `offered load (${axisUnit(curves)})`,
      yLabel: `accepted (${axisUnit(curves, 'flits/node/cycle')})`, series: curves.map(each => ({ name: nameOf(each), points: each.points
        .filter(point => point.accepted !== null).map(point => ({ x: point.load, y: point.accepted, tell: tellPoint(point) })) })) }),
    numbers: () => pointNumbers(curves),
  });
  stallsAtLoad(curves, nameOf);
  listSection('points', 'All points', pointNumbers(curves));
  configSection();
}

/** "flits/node/cycle; 1 is 16 GB/s", the latter if all curves have the clock for it; `key` has that of a curve. */
function axisUnit(curves, unit = curves[0].load_unit, key = 'load_unit_GBps') {
  const rate = curves[0][key];
  return rate !== undefined && curves.every(each => each[key] === rate) ? `${unit}; 1 is ${gigabytes(rate)}` : unit;
}

function curveFacts(curve) {
  return element('dl', { class: 'facts' },
    fact('saturation', 'saturation', curve.saturation_flits_per_node_cycle, curve.load_unit + rateText(curve.saturation_GBps)),
    curve.ideal_saturation_flits_per_node_cycle === null ? null : fact('ideal', 'at best', curve.ideal_saturation_flits_per_node_cycle,
      `${curve.load_unit}${rateText(curve.ideal_saturation_GBps)}; then a link is always busy`),
    fact('zero_load', 'zero-load latency', curve.zero_load_latency_cycles, 'cycles'),
    fact('points', 'points', curve.points.length));
}

function marksOf(curve) {
  const marks = [['saturation', curve.saturation_flits_per_node_cycle], ['at best', curve.ideal_saturation_flits_per_node_cycle]];
  return marks.filter(([, at]) => at !== null).map(([name, at]) => ({ at, name: `${name} ${shown(at)}` }));
}

function tellPoint(point) {
  return `offered ${shown(point.offered)}${rateText(point.offered_GBps)}, accepted ${shown(point.accepted)}` +
    `${rateText(point.accepted_GBps)}\nlatency: mean ` +
    `${shown(point.latency_mean_cycles)}${point.ci95_cycles ? ` ± ${shown(point.ci95_cycles)}` : ''}, ` +
    `50% ${shown(point.latency_p50_cycles)}, 99% ${shown(point.latency_p99_cycles)}, 99.9% ${shown(point.latency_p999_cycles)} cycles`;
}

const isSteady = point => point.status === 'ok' && point.latency_mean_cycles !== null;

/** The points of a latency; a mean has its confidence interval. */
function latencyPoints(points, key, before = '') {
  return points.filter(point => point[key] !== null).map(point => {
    const half = key === 'latency_mean_cycles' ? point.ci95_cycles ?? 0 : 0;
    return { x: point.load, y: point[key], low: point[key] - half, high: point[key] + half, tell: before + tellPoint(point) };
  });
}

function latencyAgainstLoad(curves, isOne, nameOf) {
  const zeroLoads = curves.map(each => each.zero_load_latency_cycles).filter(each => each !== null);
  let logY = false;
  let cut = zeroLoads.length > 0;
  let key = 'latency_mean_cycles';
  const part = section('latency', 'Latency against load', 'Cycles from the creation of a message. Points that are saturated have no ' +
    'latency: it would grow for as long as one measures. Bars are 95% confidence intervals of the mean.');
  const series = () => isOne ? [
    ...Object.entries(kLatencies).map(([value, name]) => ({ name, points: latencyPoints(curves[0].points.filter(isSteady), value) })),
    ...(curves[0].points[0]?.classes ?? []).map((each, i) => ({ name: `mean of ${each.name}`, points: curves[0].points
      .filter(point => isSteady(point) && point.classes[i].latency_mean_cycles !== null)
      .map(point => { const own = point.classes[i]; return { x: point.load, y: own.latency_mean_cycles,
        low: own.latency_mean_cycles - (own.ci95_cycles ?? 0), high: own.latency_mean_cycles + (own.ci95_cycles ?? 0), tell: tellPoint(point) }; }) })),
  ] : curves.map(each => ({ name: nameOf(each), points: latencyPoints(each.points.filter(isSteady), key, `${nameOf(each)}: `) }));
  const marks = isOne ? marksOf(curves[0]) : curves.filter(each => each.saturation_flits_per_node_cycle !== null)
    .map(each => ({ at: each.saturation_flits_per_node_cycle, name: `${nameOf(each)} saturates at ${shown(each.saturation_flits_per_node_cycle)}` }));
  part.append(legendOf(series().map(each => each.name)));
  const drawn = chart(part, {
    name: `${data.title}-latency`, label: 'Latency against offered load', height: 380 + (isOne ? 0 : kMarkLine * marks.length),
    tools: [isOne ? null : choice('Latency:', Object.entries(kLatencies).map(([value, label]) => ({ value, label })), key,
      chosen => { key = chosen; drawn.redraw(); }),
    tick('logarithmic', logY, checked => { logY = checked; drawn.redraw(); }),
    zeroLoads.length === 0 ? null : tick('up to six times the zero-load latency', cut, checked => { cut = checked; drawn.redraw(); })]
      .filter(tool => tool !== null),
    draw: (svg, width, height) => lines(svg, width, height, { series: series(), marks, logY, xLabel: `offered load (${axisUnit(curves)})`,
      yLabel: 'latency (cycles)', yMax: cut ? 6 * d3.max(zeroLoads) : null }),
    numbers: () => pointNumbers(curves),
  });
}

/** Of messages, the share that takes longer than a latency, at one load of each curve. */
function distributionAtLoad(curves, nameOf) {
  const steady = each => each.points.filter(point => (point.latency_distribution ?? []).length > 0);
  const able = curves.filter(each => steady(each).length > 0);
  if (able.length === 0) return;
  const part = section('distribution', 'Distribution of latencies', 'The share of the messages that take longer, at the point of each ' +
    'curve that is nearest to the load, of those that are not saturated.');
  const loads = [...new Set(able.flatMap(each => steady(each).map(point => point.load)))].sort(d3.ascending);
  let load = loads[Math.floor(loads.length / 2)];
  const pointOf = each => steady(each).reduce((a, b) => Math.abs(b.load - load) < Math.abs(a.load - load) ? b : a);
  if (able.length > 1) part.append(legendOf(able.map(nameOf)));
  const drawn = chart(part, {
    name: `${data.title}-distribution`, label: 'Distribution of latencies', height: 300,
    tools: [choice('Load:', loads.map(each => ({ value: String(each), label: shown(each) })), String(load),
      chosen => { load = Number(chosen); drawn.redraw(); })],
    draw: (svg, width, height) => lines(svg, width, height, { logY: true, xLabel: 'latency (cycles)', yLabel: 'share that takes longer',
      series: able.map(each => ({ name: nameOf(each), points: tailPoints(pointOf(each).latency_distribution,
        `${nameOf(each)}, load ${shown(pointOf(each).load)}: `) })) }),
    numbers: () => ({ columns: ['curve', 'load', 'from_cycles', 'to_cycles', 'messages'], rows: able.flatMap(each =>
      pointOf(each).latency_distribution.map(bin => [nameOf(each), pointOf(each).load, ...bin])) }),
  });
}

function stallsAtLoad(curves, nameOf) {
  const part = section('stalls', 'Why flits waited', 'Stalled flit-cycles of the measurement, by cause.');
  part.append(legend(kStallCauses.map(({ name, text, colour }) => ({ name: `${name}: ${text}`, colour }))));
  let curve = curves[0];
  const rows = () => curve.points.map(point => ({ name: shown(point.offered), parts: kCauses.map(cause => ({ name: cause, value: point.stalls[cause] })) }));
  const drawn = chart(part, {
    name: `${data.title}-stalls`, label: 'Stalls by load', height: () => stackedHeight(rows()),
    tools: curves.length === 1 ? [] : [choice('Curve:', curves.map(nameOf), nameOf(curve), chosen => {
      curve = curves.find(each => nameOf(each) === chosen);
      drawn.redraw();
    })],
    draw: (svg, width) => stackedRows(svg, width, rows(), { colours: name => causeOf(name).colour, unit: 'flit-cycles',
      tell: part => `at ${part.row.name}: ${part.name} ${whole(part.value)} flit-cycles` }),
    numbers: () => ({ columns: ['curve', 'offered', ...kCauses], rows: curves.flatMap(each => each.points.map(point =>
      [nameOf(each), point.offered, ...kCauses.map(cause => point.stalls[cause])])) }),
  });
}

function pointNumbers(curves) {
  const first = curves[0].points[0] ?? {};
  const keys = Object.keys(first).filter(key => typeof first[key] !== 'object' || first[key] === null);
  const named = curves.length > 1;
  return { columns: [...named ? ['curve'] : [], ...keys], rows: curves.flatMap(each => each.points.map(point =>
    [...named ? [each.curve] : [], ...keys.map(key => point[key])])) };
}
