'use strict';
// Helpers of the page: elements, sections, tables, downloads, tips. Texts of the data become text nodes, never markup.

const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');

// --- Numbers ---------------------------------------------------------------------------------------------------

const whole = d3.format(',');
/** The text of a number: an integer with commas, another number with few digits. */
function shown(value) {
  if (value === null || value === undefined) return '-';
  if (typeof value !== 'number') return String(value);
  return Number.isInteger(value) ? whole(value) : d3.format(Math.abs(value) < 1 ? '.4~g' : ',.2~f')(value);
}
const percent = d3.format('.1%');
/** A node as results name it: [1, 0] on a grid, a name on a graph, a number. */
const nodeText = node => Array.isArray(node) ? `[${node.join(', ')}]` : String(node);
const counted = (number, one, many) => `${whole(number)} ${number === 1 ? one : many}`;

/** Nanoseconds of a cycle; nothing without a clock. */
const nanoseconds = data.result?.ns !== undefined && data.result.cycles > 0 ? data.result.ns / data.result.cycles : null;
/** " (12.1 us)" of so many cycles; without a clock nothing. */
function timeText(cycles) {
  if (nanoseconds === null || cycles === null || cycles === undefined) return '';
  const time = cycles * nanoseconds;
  const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']].find(([least]) => Math.abs(time) >= least) ?? [1, 'ns'];
  return ` (${d3.format('.5~r')(time / size)} ${unit})`;
}

const gigabytes = rate => `${d3.format('.5~r')(rate)} GB/s`;
/** " (25.6 GB/s)"; without a clock, or of a rate that there is not, nothing. */
const rateText = rate => rate === undefined || rate === null ? '' : ` (${gigabytes(rate)})`;

// --- Elements --------------------------------------------------------------------------------------------------

/** Makes an element with attributes (functions are listeners) and children; strings become text nodes. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

const navigation = element('nav', { 'aria-label': 'Sections' });

/** Adds a section with a heading and an entry in the navigation. */
function section(id, title, ...intro) {
  const made = element('section', { id }, element('h2', {}, title), ...intro.map(text => element('p', {}, text)));
  page.append(made);
  navigation.append(element('a', { href: `#${id}` }, title));
  return made;
}

/** Makes an entry of the facts, such as "cycles"; data-value has the exact value. */
function fact(id, label, value, note) {
  return element('div', {}, element('dt', {}, label),
    element('dd', { id: `fact-${id}`, 'data-value': value }, shown(value), note ? element('small', {}, note) : null));
}

function choice(label, options, chosen, listener) {
  const select = element('select', { change: () => listener(select.value) },
    options.map(option => element('option', { value: option.value ?? option, selected: (option.value ?? option) === chosen },
      option.label ?? option)));
  return element('label', {}, label, select);
}

function tick(label, checked, listener) {
  const box = element('input', { type: 'checkbox', checked, change: () => listener(box.checked) });
  return element('label', {}, box, label);
}

// --- Tables and their data as CSV ------------------------------------------------------------------------------

function csvText(columns, rows) {
  const cell = value => {
    if (value === null || value === undefined) return '';
    // An apostrophe keeps a spreadsheet from reading the text as a formula.
    const text = typeof value === 'string' && /^[=+\-@]/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [columns, ...rows].map(row => row.map(cell).join(',')).join('\n') + '\n';
}

function download(name, text, type) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

const kRowsShown = 300;

/**
 * Makes a table that its headings sort. `rows` are lists of cells; at most kRowsShown are shown.
 */
function table(columns, rows, { words = [], sorted = null } = {}) {
  const numeric = columns.map((_, i) => rows.some(row => typeof row[i] === 'number') &&
    rows.every(row => row[i] === null || row[i] === undefined || typeof row[i] === 'number'));
  const body = element('tbody');
  const note = element('p', { class: 'soft' });
  const headings = [];
  let order = sorted;
  function show() {
    const listed = order === null ? rows : rows.slice().sort((a, b) => {
      const [x, y] = [a[order.column], b[order.column]];
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return order.up ? d3.ascending(x, y) : d3.descending(x, y);
    });
    body.replaceChildren(...listed.slice(0, kRowsShown).map(row => element('tr', {}, columns.map((_, i) =>
      element('td', { class: numeric[i] ? 'number' : words.includes(i) || String(row[i]).length > 40 ? 'words' : null }, shown(row[i]))))));
    headings.forEach((heading, i) => heading.setAttribute('aria-sort',
      order?.column !== i ? 'none' : order.up ? 'ascending' : 'descending'));
    note.textContent = rows.length > kRowsShown ? `${kRowsShown} of ${whole(rows.length)} lines; CSV has all` : '';
  }
  columns.forEach((column, i) => headings.push(element('th', { class: numeric[i] ? 'number' : null, scope: 'col' },
    element('button', { type: 'button', title: 'Sort', click: () => {
      order = { column: i, up: order?.column === i ? !order.up : !numeric[i] };
      show();
    } }, column))));
  show();
  return element('div', {}, element('div', { class: 'scroll' },
    element('table', {}, element('thead', {}, element('tr', {}, headings)), body)), note);
}

/** Adds a section with a table of all numbers. */
function listSection(id, title, { columns, rows }) {
  section(id, title).append(table(columns, rows));
}

/** The {columns, rows} of columns by name. */
const numbersOf = named => ({ columns: Object.keys(named), rows: d3.transpose(Object.values(named)) });

/** Makes the table "Numbers" and the button "CSV" of a picture; make() gives {columns, rows}. */
function numbers(name, make) {
  const details = element('details', { toggle: () => {
    if (!details.open) return;
    const { columns, rows } = make();
    details.replaceChildren(details.firstChild, table(columns, rows));
  } }, element('summary', {}, 'Numbers'));
  const save = element('button', { type: 'button', click: () => {
    const { columns, rows } = make();
    download(`${name}.csv`, csvText(columns, rows), 'text/csv');
  } }, 'CSV');
  return { details, save };
}

// --- Tips ------------------------------------------------------------------------------------------------------

const tip = element('div', { id: 'tip', role: 'status', hidden: true });

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 8))}px`;
  tip.style.top = `${Math.max(4, y + 18 + box.height > window.innerHeight ? y - box.height - 12 : y + 18)}px`;
}
const hideTip = () => { tip.hidden = true; };

// --- Light and dark --------------------------------------------------------------------------------------------

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const redraws = [];
const isDark = () => document.documentElement.dataset.theme === 'dark';

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  for (const redraw of redraws) redraw();
}
document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light';
dark.addEventListener('change', () => setTheme(dark.matches ? 'dark' : 'light'));
let themeBeforePrint = 'light';
window.addEventListener('beforeprint', () => {
  themeBeforePrint = document.documentElement.dataset.theme;
  setTheme('light');
});
window.addEventListener('afterprint', () => setTheme(themeBeforePrint));

// --- Colours, distinct for the colour-blind ----------------------------------------------------------------------

/** Colours of Okabe and Ito, in an order in which neighbours also differ in lightness, then some of Tol. */
const kColours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8a8a8a', '#b8a800',
  '#332288', '#882255', '#44aa99', '#ddcc77'];
const colourOf = index => kColours[index % kColours.length];
/** The colour of a share from 0 (near the background) to 1. */
const heat = share => isDark() ? d3.interpolateCividis(0.15 + 0.85 * share) : d3.interpolateYlGnBu(0.18 + 0.82 * share);

// --- Causes of stalls: kStallCauses is the table of model/stall_cause.h -------------------------------------------

const kCauses = kStallCauses.map(cause => cause.name);
const causeOf = name => kStallCauses[kCauses.indexOf(name)];
