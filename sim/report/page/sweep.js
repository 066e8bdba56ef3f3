'use strict';
// A sweep: results as lines over a swept key, as a table of two keys, the best runs, and all runs.

/** Keys that repeat an experiment with other random numbers. */
const isChance = key => key === 'repeat' || key === 'seed' || key.endsWith('.seed');

/**
 * The keys of an axis as one, if they are those of a section: of a topology its name, of others a text. Replicas have names.
 * Returns the names of the axis and, if it is a new column, how to make its cells.
 */
function axisOf(keys, rows, cell) {
  if (keys.includes('replica')) return { names: ['replica'] };
  const section = keys[0].split('.')[0];
  if (keys.length === 1 || !keys.every(key => key.startsWith(`${section}.`))) return { names: keys };
  const text = row => keys.filter(key => (cell(row, key) ?? null) !== null)
    .map(key => `${key.slice(section.length + 1)} ${cell(row, key)}`).join(', ');
  const different = value => new Set(rows.map(value)).size;
  const isNamed = section === 'topology' && different(row => cell(row, 'topology')) === different(text);
  return isNamed ? { names: ['topology'] } : { names: [section], make: text };
}

/** Numbers of a run that failed tell how far it came: they are no results. */
const hasResults = status => status === 'completed' || status === 'saturated';

/** What is compared at first: latency of traffic, or what it accepts if most runs have none; cycles of a schedule. */
function firstResult(results, rows, cell) {
  const has = name => results.includes(name) && rows.filter(row => cell(row, name) > 0).length * 2 > rows.length;
  const isTraffic = has('traffic.offered');
  return [...(isTraffic ? ['traffic.latency.mean', 'latency.mean', 'traffic.accepted'] : []), 'cycles'].find(has) ?? results[0];
}

function showSweep() {
  const { columns: names, rows, swept } = data;
  const place = new Map(names.map((name, i) => [name, i]));
  const made = new Map();
  const cell = (row, name) => made.has(name) ? made.get(name)(row) : row[place.get(name)];
  const axes = swept.map(keys => axisOf(keys.filter(key => place.has(key)), rows, cell));
  for (const { names: [name], make } of axes) if (make) made.set(name, make);
  const keys = axes.flatMap(axis => axis.names);
  const statuses = d3.nest().key(row => cell(row, 'status')).rollup(group => group.length).entries(rows);
  const failed = rows.filter(row => !hasResults(cell(row, 'status'))).length;
  verdict(failed === 0 ? 'none failed' : `${failed} failed`, failed === 0);
  heading.append(element('dl', { class: 'facts' }, fact('runs', 'runs', rows.length),
    statuses.map(({ key, value }) => fact(`status-${key}`, key, value)),
    keys.map((key, i) => fact(`key-${i}`, key, new Set(rows.map(row => cell(row, key))).size, 'values'))));

  const isNumeric = name => rows.some(row => typeof cell(row, name) === 'number');
  const results = names.filter(name => isNumeric(name) && !swept.flat().includes(name) && !['number', 'repeat', 'replica'].includes(name));
  if (results.length > 0 && keys.length > 0) comparison({ rows, keys, results, cell, isNumeric });

  const list = section('runs', 'All runs');
  const words = names.filter(name => !name.startsWith('host.') && name !== 'config');
  const cells = rows.map(row => words.map(name => cell(row, name)));
  const { save } = numbers(`${data.title}-runs`, () => ({ columns: words, rows: cells }));
  list.append(element('div', { class: 'tools' }, save), table(words, cells));
  configSection('That of the first run; the others differ from it in what is swept.');
}

/** The values of a column: numbers by size, others in the order of their first runs. */
function valuesOf(rows, value) {
  const all = [...new Set(rows.map(value))];
  return all.every(each => typeof each === 'number') ? all.sort(d3.ascending) : all;
}

function comparison({ rows, keys, results, cell, isNumeric }) {
  const many = key => new Set(rows.map(row => cell(row, key))).size;
  const axes = keys.filter(key => !isChance(key));
  const numeric = axes.filter(isNumeric);
  const state = {
    x: d3.scan(numeric, (a, b) => many(b) - many(a)) === undefined ? axes[0] : numeric[d3.scan(numeric, (a, b) => many(b) - many(a))],
    y: firstResult(results, rows, cell),
    by: null, logX: false, logY: false, fixed: {},
  };
  state.by = axes.filter(key => key !== state.x).reverse()[0] ?? '';
  const xs = rows.map(row => cell(row, state.x)).filter(x => typeof x === 'number');
  state.logX = xs.length > 0 && d3.min(xs) > 0 && d3.max(xs) / d3.min(xs) >= 30;
  state.logY = state.logX;

  const part = section('comparison', 'Comparison', 'Lines over numbers cross where two families change places (ringed). ' +
    'Bars go from the least to the largest of runs that differ by chance alone.');
  const controls = element('div', { class: 'tools' });
  const below = element('div', {});
  part.append(controls);
  const legendPlace = element('div');
  const text = value => shown(value === undefined ? null : value);

  const selected = () => rows.filter(row => Object.entries(state.fixed).every(([key, value]) => JSON.stringify(cell(row, key)) === value));

  /** Cells of the table: from (x, family) to the numbers of their runs, or to the status of a run without a number. */
  function grouped() {
    const groups = new Map();
    const lacking = new Map();
    for (const row of selected()) {
      const value = cell(row, state.y);
      const status = cell(row, 'status');
      const key = JSON.stringify([cell(row, state.x), state.by ? cell(row, state.by) : '']);
      if (typeof value === 'number' && hasResults(status)) {
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(value);
      } else if (status !== 'completed') {
        lacking.set(key, status);
      }
    }
    for (const key of lacking.keys()) groups.delete(key);
    return { groups, lacking };
  }
  /** The names of the values of x, which are equidistant; null if these are numbers. */
  function namesOfX() {
    const all = valuesOf(rows, row => cell(row, state.x));
    return all.every(x => typeof x === 'number') ? null : all.map(x => `${text(x)}`);
  }
  function series() {
    const { groups } = grouped();
    const allX = valuesOf(rows, row => cell(row, state.x));
    const position = namesOfX() ? x => allX.indexOf(x) + 1 : x => x;
    return valuesOf(rows, row => state.by ? cell(row, state.by) : '').map((family, number) => ({
      name: state.by ? `${text(family)}` : state.y, family, colour: colourOf(number),
      points: allX.map(x => ({ x, values: groups.get(JSON.stringify([x, family])) })).filter(point => point.values)
        .map(({ x, values }) => ({ x: position(x), y: d3.mean(values), low: d3.min(values), high: d3.max(values),
          tell: `${state.x} ${text(x)}${state.by ? `\n${state.by} ${text(family)}` : ''}\n${state.y} ${text(d3.mean(values))}` +
            (values.length > 1 ? `, ${text(d3.min(values))} to ${text(d3.max(values))} in ${values.length} runs` : '') })),
    })).filter(each => each.points.length > 0);
  }
  /** Crossings of two lines between points that both have. */
  function crossovers(all) {
    const found = [];
    const log = (on, value) => on ? Math.log(value) : value;
    const back = (on, value) => on ? Math.exp(value) : value;
    for (let a = 0; a < all.length; ++a) {
      for (let b = a + 1; b < all.length; ++b) {
        const other = new Map(all[b].points.map(point => [point.x, point.y]));
        const shared = all[a].points.filter(point => other.has(point.x)).map(point => [point.x, point.y, other.get(point.x)]);
        // At a common point they cross if the sign of their difference changes there.
        let before = null, met = null;
        for (const [x, one, another] of shared) {
          const side = Math.sign(one - another);
          if (side === 0) { met ??= { x, y: one }; continue; }
          if (met && before !== null && side !== before) {
            found.push({ ...met, tell: `${all[a].name} and ${all[b].name} change places\nat ${state.x} ${text(met.x)}` });
          }
          before = side;
          met = null;
        }
        for (let i = 1; i < shared.length; ++i) {
          const [[x0, a0, b0], [x1, a1, b1]] = [shared[i - 1], shared[i]];
          if ((a0 - b0) * (a1 - b1) >= 0) continue;
          const [d0, d1] = [log(state.logY, a0) - log(state.logY, b0), log(state.logY, a1) - log(state.logY, b1)];
          const share = d0 / (d0 - d1);
          const x = back(state.logX, log(state.logX, x0) + share * (log(state.logX, x1) - log(state.logX, x0)));
          const y = back(state.logY, log(state.logY, a0) + share * (log(state.logY, a1) - log(state.logY, a0)));
          found.push({ x, y, tell: `${all[a].name} and ${all[b].name} change places\nbetween ${state.x} ${text(x0)} and ${text(x1)}` });
        }
      }
    }
    return found;
  }
  function tableNumbers() {
    const { groups, lacking } = grouped();
    const families = valuesOf(rows, row => state.by ? cell(row, state.by) : '');
    return {
      columns: [state.x, ...families.map(family => state.by ? `${text(family)}` : state.y)],
      rows: valuesOf(rows, row => cell(row, state.x)).map(x => [x, ...families.map(family => {
        const key = JSON.stringify([x, family]);
        return groups.has(key) ? d3.mean(groups.get(key)) : lacking.get(key) ?? null;
      })]),
    };
  }
  function showControls() {
    const others = axes.filter(key => key !== state.x && key !== state.by);
    state.fixed = Object.fromEntries(others.map(key => [key, state.fixed[key] ?? JSON.stringify(valuesOf(rows, row => cell(row, key))[0])]));
    const change = key => value => { state[key] = value; showControls(); };
    controls.replaceChildren(
      choice('Value:', results, state.y, change('y')),
      choice('over:', axes, state.x, value => { if (state.by === value) state.by = state.x; state.x = value; showControls(); }),
      choice('a line for each:', [{ value: '', label: '(one line)' }, ...axes.filter(key => key !== state.x)], state.by, change('by')),
      ...others.map(key => choice(`${key} =`, valuesOf(rows, row => cell(row, key)).map(value =>
        ({ value: JSON.stringify(value), label: text(value) })), state.fixed[key], value => { state.fixed[key] = value; show(); })),
      tick('log x', state.logX, checked => { state.logX = checked; show(); }),
      tick('log y', state.logY, checked => { state.logY = checked; show(); }));
    show();
  }
  let drawn = null;
  function show() {
    legendPlace.replaceChildren(legend(series()));
    drawn?.redraw();
    const { columns: heads, rows: cells } = tableNumbers();
    const byFamily = table(heads, cells);
    const isBest = cells.map(row => d3.min(row.slice(1).filter(value => typeof value === 'number')));
    byFamily.querySelectorAll('tbody tr').forEach((line, i) => line.querySelectorAll('td').forEach((each, column) => {
      if (column > 0 && heads.length > 2 && isBest[i] !== undefined && cells[i][column] === isBest[i]) each.classList.add('best');
    }));
    below.replaceChildren(element('h3', {}, `${state.y} by ${state.x}${state.by ? ` and ${state.by}` : ''}`),
      element('p', { class: 'soft' }, heads.length > 2 ? 'The least of each line is bold.' : ''), byFamily);
  }
  part.append(legendPlace);
  const holder = element('div');
  part.append(holder, below);
  showControls();
  drawn = chart(holder, {
    name: `${data.title}-comparison`, label: 'Comparison of the runs', height: 420,
    draw(svg, width, height) {
      const all = series();
      const xNames = namesOfX();
      lines(svg, width, height, { series: all, crossovers: xNames ? [] : crossovers(all), logX: state.logX && !xNames,
        logY: state.logY, xLabel: state.x, yLabel: state.y, xNames });
    },
    numbers: tableNumbers,
  });
}
