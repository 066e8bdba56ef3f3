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
    numbers: () => ({ columns: Object.keys(course), rows: course.begin_cycle.map((_, i) => Object.keys(course).map(key => course[key][i])) }),
  });
}

/** Throughput of a closed loop against the requests that a node has open. */
function showOutstanding() {
  const { points } = data.curve;
  const isVerified = points.every(point => point.verified);
  verdict(isVerified ? 'verified' : 'not verified', isVerified);
  const keys = Object.keys(points[0] ?? {});
  const numbers = () => ({ columns: keys, rows: points.map(point => keys.map(key => point[key])) });
  const tell = point => `${counted(point.outstanding, 'request', 'requests')} outstanding\n` +
    `${shown(point.round_trips_per_cycle)} per cycle, round trip ${shown(point.round_trip_mean_cycles)} cycles`;
  const against = (key, filter = () => true) => points.filter(filter).map(point => ({ x: point.outstanding, y: point[key], tell: tell(point) }));
  const answered = section('throughput', 'Throughput', 'Requests that are answered, by all nodes together.');
  chart(answered, {
    name: `${data.title}-throughput`, label: 'Throughput against outstanding requests', height: 340,
    draw: (svg, width, height) => lines(svg, width, height, { xLabel: 'requests that a node has open', yLabel: 'requests per cycle',
      series: [{ name: 'throughput', points: against('round_trips_per_cycle') }] }),
    numbers,
  });
  const times = section('round_trip', 'Round trips', 'Cycles from a request to its reply.');
  const series = [['mean', 'round_trip_mean_cycles'], ['99%', 'round_trip_p99_cycles'], ['99.9%', 'round_trip_p999_cycles']]
    .map(([name, key]) => ({ name, points: against(key, point => point[key] !== null) }));
  times.append(legend(series.map((each, i) => ({ name: each.name, colour: colourOf(i) }))));
  chart(times, {
    name: `${data.title}-round-trips`, label: 'Round trips against outstanding requests', height: 340,
    draw: (svg, width, height) => lines(svg, width, height, { series, xLabel: 'requests that a node has open', yLabel: 'round trip (cycles)' }),
    numbers,
  });
  const list = section('points', 'All points');
  list.append(table(numbers().columns, numbers().rows));
  configSection();
}
