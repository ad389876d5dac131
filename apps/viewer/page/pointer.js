// Pointer and keys on the map: hovering asks for distances, clicking and dragging sets start and goal.
import { short } from './charts.js';

const tip = document.getElementById('tip');

export class Pointer {
  constructor(parts) {
    Object.assign(this, parts);
    const { canvas } = this.map;
    canvas.addEventListener('pointermove', e => this.move(e));
    canvas.addEventListener('pointerdown', e => this.down(e));
    canvas.addEventListener('pointerup', e => this.up(e));
    canvas.addEventListener('pointercancel', () => this.leave());
    canvas.addEventListener('pointerleave', () => this.leave());
    canvas.addEventListener('keydown', e => this.key(e));
    canvas.addEventListener('blur', () => { this.scene.crosshair = null; this.refresh(); });
  }

  spot(e) {
    const box = this.map.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  // whether a start may be chosen, and a goal: some environments begin where they like, or have tasks of their own
  get starts() { return this.world.run.world?.starts ?? true; }
  get goals() { return this.world.run.world?.goals ?? true; }
  marker(x, y) { const which = this.map.marker(x, y); return which === 'start' && !this.starts ? null : which; }
  send(start, goal) { this.place(this.starts ? { start, goal } : { goal }); }

  refresh() { this.map.redraw(); this.controls.showReference(); }

  down(e) {
    if (e.button !== 0 || !this.scene.state || !this.goals) return;
    const [x, y] = this.spot(e);
    this.drag = this.marker(x, y) || this.scene.mode;
    this.map.canvas.setPointerCapture(e.pointerId);
    this.map.canvas.classList.add('dragging');
    this.set(x, y);
  }

  move(e) {
    const { scene, map } = this, [x, y] = this.spot(e);
    scene.crosshair = null;
    if (this.drag) return this.set(x, y);
    map.canvas.classList.toggle('over-end', !!this.marker(x, y));
    scene.hover = map.nearest(x, y);
    this.tip(x, y);
    this.refresh();
  }

  up(e) {
    if (!this.drag) return;
    this.set(...this.spot(e));
    if (this.drag === 'start' && this.scene.mode === 'start') this.controls.mode('goal');
    this.drag = null;
    this.map.canvas.classList.remove('dragging');
    if (e.pointerType !== 'mouse') this.leave();
  }

  leave() {
    this.drag = null;
    this.scene.hover = null;
    tip.hidden = true;
    this.refresh();
  }

  // the marker moves at once; the route follows as soon as the program has it
  set(x, y) {
    const { scene, map, world } = this, index = map.nearest(x, y);
    tip.hidden = true;
    scene.hover = null;
    if (scene.state[this.drag].index === index && this.sent === index + this.drag) return;
    this.sent = index + this.drag;
    scene.state[this.drag] = { index, point: world.point(index) };
    this.send(scene.state.start.index, scene.state.goal.index);
    this.refresh();
  }

  tip(x, y) {
    const { scene, world, map } = this, i = scene.hover, { start, goal } = scene.state || {};
    if (!start) return;
    const d = j => short(world.distance(i, j)), { space, graph, dimensions } = world.run;
    const values = world.mapped || !dimensions ? '' : `${world.axes.map((axis, k) => `${world.name(axis)} ${short(world.point(i)[k])}`).join(', ')}; `;
    tip.textContent = values + (graph ? `cluster ${world.label(i)}; ` : '') +
      (dimensions ? `${space} ${d(start.index)} to the start, ${d(goal.index)} to the goal` : world.point(i).map(short).join(', '));
    tip.hidden = false;
    tip.style.left = `${Math.min(x + 14, map.width - tip.offsetWidth - 6)}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > map.height ? y - tip.offsetHeight - 10 : y + 18}px`;
  }

  // arrows move a cursor over the states, Enter sets
  key(e) {
    const { scene, map, world } = this;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (step) {
      this.at ??= map.at(scene.state.goal.point);
      if (scene.crosshair == null) this.at = map.at(scene.state[scene.mode].point);
      this.at = [Math.min(map.width, Math.max(0, this.at[0] + 12 * step[0])), Math.min(map.height, Math.max(0, this.at[1] + 12 * step[1]))];
      scene.crosshair = map.nearest(...this.at);
    } else if (e.key === 'Enter' && scene.crosshair != null) {
      const index = scene.crosshair;
      const ends = { start: scene.state.start.index, goal: scene.state.goal.index, [scene.mode]: index };
      this.send(ends.start, ends.goal);
      if (scene.mode === 'start') this.controls.mode('goal');
    } else return;
    e.preventDefault();
    this.refresh();
  }
}
