// The panels: buttons, settings, charts and the log. Shows the scene, and turns what the user does into commands.
import { chart, short } from './charts.js';
import { css } from './color.js';
import { PlannerPanel } from './planner.js';
import { explain } from './traps.js';

const $ = id => document.getElementById(id);
const speeds = [1, 2, 5, 10, 20, 50, 100, 0];
const fixed = (v, digits = 2) => v == null ? '?' : v.toFixed(digits);

function options(select, list) {
  select.replaceChildren(...list.map(([value, text]) => new Option(text, value)));
}

export class Controls {
  constructor(parts) {
    Object.assign(this, parts);
    this.about();
    this.layers();
    this.player();
    this.planner = new PlannerPanel(this.run.planner, change => this.send('settings', change));
    this.keys();
  }

  about() {
    const { run } = this, { world } = run;
    $('run-name').textContent = run.data;
    $('facts').textContent = [`${run.rows.toLocaleString('en')} states`, run.graph ? `${run.graph.clusters} clusters` : run.method,
      ...(run.dimensions ? [`${run.space} of ${run.dimensions} dimensions`] : []), world ? world.name : 'no environment'].join(', ');
    // controls that mean nothing to this run
    const has = {
      psi: !!(run.dimensions || run.value), plan: !!run.graph, actor: !run.graph, world: !!world, starts: !world || world.starts, goals: !world || world.goals, pictures: !!world?.pictures, scene: !!run.scene,
      traps: !!run.graph && (!!world?.bounds || run.near.leaps.length > 0), tasks: !!world?.tasks.length,
    };
    for (const e of document.querySelectorAll('[data-needs]')) e.hidden = e.disabled = !e.dataset.needs.split(' ').every(need => has[need]);
    document.querySelectorAll('.method').forEach(e => { e.textContent = run.method; });
    document.querySelectorAll('.space').forEach(e => { e.textContent = run.space || run.value; });
    options($('task'), [...(has.goals ? [['', world?.bounds ? 'own places' : 'states of the data']] : []),
      ...(world?.tasks || []).map((_, i) => [i + 1, world.bounds || world.tasks.length > 1 ? `task ${i + 1}` : 'goal of the environment'])]);
    $('task').onchange = () => { if ($('task').value) this.send('place', { task: +$('task').value }); };
    for (const id of ['play', 'step', 'restart', 'speed']) $(id).disabled = !world;
    explain($('traps-text'), run);
  }

  layers() {
    const { run, scene, map } = this;
    this.toggles = [...document.querySelectorAll('[data-layer]')];
    for (const button of this.toggles)
      button.onclick = () => {
        scene.layers[button.dataset.layer] = !scene.layers[button.dataset.layer];
        this.update();
        map.redraw();
      };
    const axes = [];
    if (run.places && (run.world?.bounds || !run.columns)) axes.push('place:0', 'place:1');
    for (let k = 0; k < run.dimensions; ++k) axes.push(`psi:${k}`);
    for (let k = 0; k < run.columns; ++k) axes.push(`observation:${k}`);
    [$('axis-x'), $('axis-y')].forEach((select, k) => {
      options(select, axes.map(axis => [axis, this.world.name(axis)]));
      // two quick choices: news of before the first must not take it back before the second
      select.onchange = async () => {
        const chosen = this.chosen = [...(this.chosen ?? scene.state.settings.axes)];
        chosen[k] = select.value;
        await this.send('settings', { axes: chosen });
        if (this.chosen === chosen) { this.chosen = null; this.update(); }
      };
    });
    $('shown').onchange = () => { scene.shown = $('shown').value; map.redraw(); };
  }

  player() {
    $('play').onclick = () => this.send(this.scene.state?.playing ? 'pause' : 'play', { speed: this.speed() });
    $('step').onclick = () => this.send('step');
    $('restart').onclick = () => this.send('restart');
    $('speed').oninput = () => {
      this.showSpeed();
      clearTimeout(this.later);
      this.later = setTimeout(() => this.send('play', { speed: this.speed(), run: false }), 120);
    };
    for (const mode of ['start', 'goal']) $(`mode-${mode}`).onclick = () => this.mode(mode);
    $('help-open').onclick = () => $('help').showModal();
  }

  speed() { return speeds[+$('speed').value]; }
  showSpeed() { $('speed-text').textContent = this.speed() ? `${this.speed()} a second` : 'as fast as it goes'; }
  mode(mode) {
    if ($(`mode-${mode}`).hidden) return;  // episodes begin where the environment begins
    this.scene.mode = mode;
    for (const m of ['start', 'goal']) $(`mode-${m}`).setAttribute('aria-checked', m === mode);
  }

  keys() {
    addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey || $('help').open || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
      const key = e.key.toLowerCase(), click = id => { if (!$(id).disabled) $(id).click(); };
      if (key === ' ') { if (e.target.tagName === 'BUTTON' && e.target.id !== 'play') return; e.preventDefault(); click('play'); }
      else if (key === '.') click('step');
      else if (key === 'r') click('restart');
      else if (key === 's') this.mode('start');
      else if (key === 'g') this.mode('goal');
      else if (key === '?') $('help').showModal();
      else if (key >= '1' && key <= '6') this.toggles[+key - 1].click();
      else if (key === '+' || key === '-') { $('speed').value = +$('speed').value + (key === '+' ? 1 : -1); $('speed').dispatchEvent(new Event('input')); }
    });
    // the space bar on the play button is the same one press
    $('play').addEventListener('keyup', e => { if (e.key === ' ') e.preventDefault(); });
  }

  update() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => { this.pending = 0; this.show(); });
  }

  show() {
    const { scene, run } = this, { state, moment } = scene;
    for (const button of this.toggles) button.setAttribute('aria-pressed', scene.layers[button.dataset.layer]);
    $('traps-text').hidden = !scene.layers.traps;
    this.showReference();
    if (!state) return;
    $('play').classList.toggle('playing', state.playing);
    $('play').lastElementChild.textContent = state.playing ? 'Pause' : 'Play';
    $('play').setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
    if (document.activeElement !== $('speed')) $('speed').value = Math.max(0, speeds.indexOf(state.speed));
    this.showSpeed();
    $('task').value = state.task || '';
    [$('axis-x').value, $('axis-y').value] = this.chosen ?? state.settings.axes;
    this.planner.show(state.settings);
    this.showDecision(moment);
    this.showLog(state.events);
    const verdict = $('verdict');
    verdict.hidden = !moment.done;
    const last = state.events[state.events.length - 1];
    if (moment.done && last) {
      verdict.textContent = last.text[0].toUpperCase() + last.text.slice(1);
      verdict.className = moment.success ? 'good' : 'bad';
    }
    $('status').textContent = run.world ? `step ${moment.step} of at most ${run.world.max_steps}${run.world.judges || state.task ? '' : '; nothing was said about success, so the episode goes on to its last step'}`
      : `There is no environment to act in: the run was trained on data of your own. Pick a start and a goal to see ${run.graph ? 'distance, clusters, route and ' : ''}the first decision.`;
    document.body.dataset.step = moment.step;
    document.body.dataset.done = moment.done ? (moment.success ? 'success' : 'failure') : '';
  }

  showReference() { $('scale-from').textContent = (this.scene.hover ?? this.scene.crosshair) == null ? 'the goal' : 'the cursor'; }

  showDecision(m) {
    const { scene, run } = this, wait = 'press play';
    $('decision-time').textContent = `${fixed(m.ms.total, run.graph ? 1 : 3)} ms`;
    chart($('chart-time'), [{ values: scene.state.times.slice(-150), color: css('accent') }], { zero: true, empty: wait });
    if (!run.graph) {
      $('decision-text').textContent = `${m.preview ? 'Next: ' : ''}action ${m.action.map(a => short(a)).join(', ')}; ` +
        (m.psi.length ? `in the distance that ${run.method} learned, ${short(m.subgoal_distance)} to where it heads, ${short(m.goal_distance)} to the goal.` : `${run.method} does not plan.`);
      return;
    }
    const route = m.goal_cluster < 0 ? 'No clusters in this variant: straight for the goal.'
      : m.no_route ? `Cluster ${m.cluster}: no route to cluster ${m.goal_cluster}; straight for the goal.`
      : m.target === m.goal_cluster ? `Cluster ${m.cluster}; next is the goal itself.`
      : `Cluster ${m.cluster}, next ${m.target}, ${m.route.length - 1} to the goal's ${m.goal_cluster}.`;
    $('decision-text').textContent = `${m.preview ? 'Next: ' : ''}${route} In ${run.space} ${short(m.subgoal_distance)} to the subgoal, ${short(m.goal_distance)} to the goal.` +
      (m.best_costs.length ? m.kept_plan ? ' The search began with the last plan.' : ' The search began with the prior.' : '') + this.strange(m);
    chart($('chart-cost'), [{ values: m.elite_costs, color: css('elite') }, { values: m.best_costs, color: css('accent') }],
      { dots: true, empty: 'no search in this variant' });
    const marks = scene.state.events.filter(e => ['drift', 'detour', 'teleport'].includes(e.kind)).map(e => ({ at: e.step, color: css('subgoal') }));
    chart($('chart-distance'), [{ values: scene.state.distances, color: css('goal') }], { zero: true, marks, empty: wait });
  }

  // the data say little about states that lie far from them
  strange(m) {
    const [here, goal] = [m.off_data > 1, m.goal_off_data > 1];
    return !here && !goal ? '' : ` ${here && goal ? 'State and goal lie' : here ? 'The state lies' : 'The goal lies'} outside of the data.`;
  }

  showLog(events) {
    const log = $('log');
    if (!events.length) {
      const item = document.createElement('li');
      item.className = 'empty';
      item.textContent = this.run.world ? 'Press play, or take a single step.' : 'Nothing acts here. In Python, alps.view(run, env) brings an environment along.';
      log.replaceChildren(item);
      this.logged = 0;
      return;
    }
    if (this.logged === events.length && this.loggedLast === events[events.length - 1].text) return;
    if (!this.logged || this.logged > events.length || this.loggedFirst !== events[0].text) { log.replaceChildren(); this.logged = 0; }
    // newest first
    for (const e of events.slice(this.logged)) {
      const item = document.createElement('li'), time = document.createElement('span'), text = document.createElement('span');
      item.className = e.kind;
      time.className = 't';
      time.textContent = e.step;
      text.className = 'x';
      text.textContent = e.text;
      item.append(time, text);
      log.prepend(item);
    }
    while (log.childElementCount > 200) log.lastElementChild.remove();
    this.logged = events.length;
    this.loggedFirst = events[0].text;
    this.loggedLast = events[events.length - 1].text;
  }
}
