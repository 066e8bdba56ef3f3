'use strict';
// Requests and replies: how long round trips take, and what a closed loop carries.

function protocolSection(result) {
  const { protocol } = result;
  const trip = protocol.round_trip;
  const part = section('protocol', 'Round trips', 'From the generation of a request to the delivery of its reply.');
  part.append(element('dl', { class: 'facts' },
    fact('round_trip', 'mean round trip', trip.mean,
      `cycles; median ${shown(trip.p50)}, 99% ${shown(trip.p99)}, 99.9% ${shown(trip.p999)}, max ${shown(trip.max)}`),
    fact('round_trips', 'requests answered', protocol.round_trips_per_cycle, 'per cycle, by all nodes'),
    fact('bytes', 'data', protocol.bytes_per_cycle, 'bytes/cycle'),
    fact('outstanding', 'outstanding', protocol.outstanding_mean, 'requests on average')));
  if (trip.messages === 0) return;

  const { cycles, round_trips: counts } = data.round_trips;
  const binWidth = Math.max(1, Math.ceil((cycles.at(-1) - cycles[0] + 1) / 60));
  const bins = Array(Math.floor((cycles.at(-1) - cycles[0]) / binWidth) + 1).fill(0);
  cycles.forEach((length, i) => { bins[Math.floor((length - cycles[0]) / binWidth)] += counts[i]; });
  chart(part, {
    name: `${data.title}-round-trips`, label: 'Distribution of round trips', height: 240,
    draw: (svg, width, height) => columns(svg, width, height, { from: cycles[0] - 0.5, step: binWidth, values: bins,
      xLabel: 'round trip (cycles)', yLabel: 'requests',
      tell: (count, i) => `from ${whole(cycles[0] + i * binWidth)} cycles: ${counted(count, 'request', 'requests')}, ${percent(count / trip.messages)}`,
      marks: [{ at: trip.mean, name: 'mean' }, { at: trip.p99, name: '99%' }] }),
    numbers: () => ({ columns: ['cycles', 'round_trips'], rows: cycles.map((length, i) => [length, counts[i]]) }),
  });

  const names = ['until issued', 'request', 'queue', 'service', 'reply'];
  const values = ['until_issued', 'request', 'queue', 'service', 'reply'].map(name => protocol[`${name}_mean_cycles`]);
  const rows = [{ name: 'mean', parts: names.map((name, i) => ({ name, value: values[i] })) }];
  const colours = name => colourOf(names.indexOf(name));
  part.append(element('h3', {}, 'Where the time of a request goes'), legend(names.map(name => ({ name, colour: colours(name) }))));
  chart(part, {
    name: `${data.title}-round-trip-parts`, label: 'Parts of the mean round trip', height: stackedHeight(rows),
    draw: (svg, width) => stackedRows(svg, width, rows, { colours, unit: 'cycles',
      tell: ({ name, value }) => `${name}\n${shown(value)} cycles` }),
    numbers: () => ({ columns: ['part', 'cycles'], rows: names.map((name, i) => [name, values[i]]) }),
  });

  const course = data.protocol_course;
  const over = (key, scale) => course.begin_cycle.map((cycle, i) => ({ x: cycle, y: Number(course[key][i]),
    tell: `from cycle ${whole(cycle)}\n${shown(Number(course[key][i]))} ${scale}` }));
  part.append(element('h3', {}, 'Outstanding over time'));
  chart(part, {
    name: `${data.title}-outstanding`, label: 'Requests without an answer over time', height: 240,
    draw: (svg, width, height) => lines(svg, width, height, { xLabel: 'cycle', yLabel: 'outstanding requests',
      series: [{ name: 'outstanding', points: over('outstanding_mean', 'requests') }] }),
    numbers: () => numbersOf(course),
  });
}

/** Throughput of closed loops against the requests that a node has open. */
function showOutstanding() {
  const x = { key: 'outstanding', label: 'requests that a node has open' };
  const tell = point => `${counted(point.outstanding, 'request', 'requests')} outstanding\n` +
    `${shown(point.round_trips_per_cycle)} per cycle, round trip ${shown(point.round_trip_mean_cycles)} cycles`;
  showCurves(x, tell, [
    { name: 'throughput', title: 'Throughput', says: 'Requests that are answered, by all nodes together.',
      label: axisUnit(data.curve.curves ?? [data.curve], 'requests per cycle', 'round_trip_unit_GBps'), keys: { throughput: 'round_trips_per_cycle' } },
    { name: 'round_trips', title: 'Round trips', says: 'Cycles from a request to its reply.', label: 'round trip (cycles)',
      keys: { mean: 'round_trip_mean_cycles', '99%': 'round_trip_p99_cycles', '99.9%': 'round_trip_p999_cycles' } },
  ]);
}

/** The time of a schedule against the load of the traffic beside it. */
function showSlowdown() {
  const x = { key: 'load', label: `load beside the schedule (${axisUnit(data.curve.curves ?? [data.curve], 'flits/node/cycle')})` };
  const tell = point => `load ${shown(point.load)}\n${point.slowdown === null ? point.status : `${shown(point.cycles)} cycles`}`;
  showCurves(x, tell, [
    { name: 'slowdown', title: 'Slowdown', says: 'The time of the schedule, in times of the schedule alone.',
      label: 'time (times that without)', keys: { slowdown: 'slowdown' } },
    { name: 'latency', title: 'Latency of the traffic beside it', says: 'Cycles from the creation of a message.',
      label: 'latency (cycles)', keys: { mean: 'background.latency_mean_cycles', '99%': 'background.latency_p99_cycles' } },
  ]);
}

/** Charts of one or several curves; of several the first of a chart's keys alone. */
function showCurves(x, tell, charts) {
  const curves = data.curve.curves ?? [data.curve];
  const isOne = curves.length === 1;
  const points = curves.flatMap(each => each.points.map(point => ({ ...(isOne ? {} : { curve: each.curve }), ...flat(point) })));
  const isVerified = points.every(point => point.verified || point.status === 'limit');
  verdict(isVerified ? 'verified' : 'not verified', isVerified);
  const names = Object.keys(points.reduce((all, point) => ({ ...all, ...point }), {}));
  // What some points have in parts is null in others.
  const columns = names.filter(name => !names.some(other => other.startsWith(`${name}.`)));
  const numbers = () => ({ columns, rows: points.map(point => columns.map(key => point[key] ?? null)) });
  for (const each of charts) {
    const keys = Object.entries(each.keys).slice(0, isOne ? undefined : 1);
    const series = curves.flatMap(curve => keys.map(([name, key]) => ({
      name: isOne ? name : curve.curve,
      points: curve.points.map(flat).filter(point => (point[key] ?? null) !== null)
        .map(point => ({ x: point[x.key], y: point[key], tell: tell(point) })),
    })));
    const part = section(each.name, each.title, each.says);
    if (series.length > 1) part.append(legendOf(series.map(one => one.name)));
    chart(part, {
      name: `${data.title}-${each.name}`, label: `${each.title} against ${x.label}`, height: 340,
      draw: (svg, width, height) => lines(svg, width, height, { series, xLabel: x.label, yLabel: each.label }),
      numbers,
    });
  }
  listSection('points', 'All points', numbers());
  configSection();
}

/** The values of a record, those of its parts as "part.key". */
function flat(record) {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => value !== null && typeof value === 'object'
    ? Object.entries(value).map(([part, of]) => [`${key}.${part}`, of]) : [[key, value]]));
}
