'use strict';
// The energy of a run, with the digits of the report of `flitscope run`.

const kJoules = [[1, 'J'], [1e-3, 'mJ'], [1e-6, 'uJ'], [1e-9, 'nJ'], [1e-12, 'pJ']];
const joulesUnit = joules => kJoules.find(([size]) => joules >= size) ?? kJoules.at(-1);
const fourDigits = d3.format('.4~g');
function joulesText(joules) {
  const [size, unit] = joulesUnit(joules);
  return `${fourDigits(joules / size)} ${unit}`;
}

function energySection({ energy }) {
  const { table, technology, voltage, activity, source, left_out: leftOut } = energy;
  const part = section('energy', 'Energy', `By table ${table}: ${technology}, ${voltage} V, ${activity}; ${source}. ` +
    `Without ${leftOut.join(', ')}.`);
  const facts = [fact('energy', 'energy', joulesText(energy.total_J),
    `by neighbouring tables ${joulesText(energy.low_J)} to ${joulesText(energy.high_J)}`)];
  if (energy.per_byte_pJ !== null) facts.push(fact('energy_per_byte', 'a byte delivered', joulesText(energy.per_byte_pJ * 1e-12)));
  if (energy.per_bit_hop_pJ !== null)
    facts.push(fact('energy_per_bit_hop', 'a bit and hop', `${fourDigits(energy.per_bit_hop_pJ)} pJ`));
  if (energy.detours_J > 0) facts.push(fact('energy_of_detours', 'detours', joulesText(energy.detours_J)));
  if (energy.power_W !== null) facts.push(fact('power', 'power', `${fourDigits(energy.power_W)} W`));
  part.append(element('dl', { class: 'facts' }, facts));

  const components = Object.entries(energy.components).map(([key, joules]) => ({ name: key.replace(/_J$/, ''), joules }));
  const [size, unit] = joulesUnit(energy.total_J);
  const rows = components.filter(({ joules }) => joules > 0)
    .map(({ name, joules }) => ({ name, parts: [{ name, value: joules / size }] }));
  if (rows.length === 0) return;
  const colours = name => colourOf(components.findIndex(each => each.name === name));
  chart(part, {
    name: `${data.title}-energy`, label: 'Energy by component', height: stackedHeight(rows),
    draw: (svg, width) => stackedRows(svg, width, rows, { colours, unit,
      tell: ({ name, value }) => `${name}: ${joulesText(value * size)}, ${percent(value * size / energy.total_J)}` }),
    numbers: () => ({ columns: ['component', 'J'], rows: components.map(({ name, joules }) => [name, joules]) }),
  });
}
