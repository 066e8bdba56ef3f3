'use strict';
// Entry of the page: shows a run, a sweep, a load curve, a schedule beside traffic or a closed loop's.

const tops = {
  run: () => [data.result.algorithm, data.result.topology,
    ...(typeof data.result.traffic?.load === 'number' ? [`load ${shown(data.result.traffic.load)} flits/node/cycle`] : [])],
  sweep: () => [counted(data.rows.length, 'run', 'runs')],
  compare: () => [data.rows[0]?.goal ?? '', counted(data.rows.length, 'candidate', 'candidates')],
  load: () => [data.curve.pattern, data.curve.topology],
  outstanding: () => topsOf('protocol'),
  slowdown: () => topsOf('pattern'),
};
/** What all curves have in common, or all that they have. */
function topsOf(key) {
  const curves = data.curve.curves ?? [data.curve];
  return [key, 'topology'].map(each => [...new Set(curves.map(curve => curve[each]))].join('; '));
}
const heading = element('header', {}, element('div', { class: 'line' }, element('h1', {}, data.title),
  element('span', { id: 'verdict' }),
  element('button', { type: 'button', id: 'theme', click: () => setTheme(isDark() ? 'light' : 'dark') }, 'Light / dark')),
element('p', { class: 'soft', id: 'what' }, tops[data.kind]().join(' · ')),
data.machine ? element('p', { class: 'soft', id: 'machine' }, data.machine.join(' · ')) : null, navigation);
page.append(heading);
document.body.append(tip);

/** Adds a badge with the status of the run. */
function verdict(text, isGood) {
  document.getElementById('verdict').append(element('span', { class: `badge ${isGood ? 'good' : 'bad'}` },
    `${isGood ? '✓' : '✗'} ${text}`));
}

({ run: showRun, sweep: showSweep, load: showLoad, compare: showComparison, outstanding: showOutstanding, slowdown: showSlowdown })[data.kind]();
page.append(element('p', { class: 'soft' }, `Made by flitscope ${data.version}. This file needs nothing else.`));

let resizing = null;
window.addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => redraws.forEach(redraw => redraw()), 150);
});
document.documentElement.dataset.ready = 'yes';
