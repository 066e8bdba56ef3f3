'use strict';
// A comparison of algorithms: cycles by length, and for each length all candidates with what excluded them.

function showComparison() {
  const { rows } = data;
  const ran = rows.filter(row => row.status === 'completed');
  verdict(ran.length === rows.length ? 'all have run' : `${ran.length} of ${rows.length} have run`, ran.length > 0);
  const lengths = [...new Set(rows.map(row => row.message_bytes))].sort(d3.ascending);
  heading.append(element('dl', { class: 'facts' }, fact('candidates', 'candidates and lengths', rows.length), fact('ran', 'have run', ran.length),
    fact('excluded', 'excluded by a bound', rows.filter(row => row.status === 'excluded').length)));
  if (lengths.length > 1 && ran.length > 0) {
    const names = [...new Set(ran.map(row => row.algorithm))];
    const part = section('lengths', 'Cycles against length', 'The lowest line wins.');
    part.append(legendOf(names));
    chart(part, { name: `${data.title}-lengths`, label: 'Cycles against length', height: 400,
      draw: (svg, width, height) => lines(svg, width, height, { logX: true, logY: true, xLabel: 'length (bytes)', yLabel: 'cycles',
        series: names.map(name => ({ name, points: ran.filter(row => row.algorithm === name).sort((a, b) => a.message_bytes - b.message_bytes)
          .map(row => ({ x: row.message_bytes, y: row.dataflow_cycles, tell: `${name}, ${whole(row.message_bytes)} bytes: ${whole(row.dataflow_cycles)} cycles` })) })) }),
      numbers: () => comparisonNumbers(rows) });
  }
  for (const length of lengths) {
    const own = rows.filter(row => row.message_bytes === length);
    const part = section(`length-${length}`, `${whole(length)} bytes`, 'Cycles, and the bound of each candidate, what it needs at least; ' +
      'it is excluded if that is more than another one has taken.');
    part.append(legend([{ name: 'at least', colour: colourOf(1) }, { name: 'beyond', colour: colourOf(0) }]));
    const bars = own.map(row => ({ name: row.status === 'completed' ? row.algorithm : `${row.algorithm} (${row.status})`, parts: [
      { name: 'at least', value: row.least_cycles },
      { name: 'beyond', value: Math.max(0, (row.dataflow_cycles ?? row.least_cycles) - row.least_cycles) }] }));
    chart(part, { name: `${data.title}-${length}`, label: `Cycles for ${length} bytes`, height: stackedHeight(bars),
      draw: (svg, width) => stackedRows(svg, width, bars, { colours: name => colourOf(name === 'at least' ? 1 : 0), unit: 'cycles',
        tell: part => `${part.row.name}: ${part.name} ${whole(part.value)} cycles` }),
      numbers: () => comparisonNumbers(own) });
  }
  listSection('rows', 'All numbers', comparisonNumbers(rows));
  configSection();
}

function comparisonNumbers(rows) {
  const keys = Object.keys(rows[0] ?? {});
  return { columns: keys, rows: rows.map(row => keys.map(key => row[key])) };
}
