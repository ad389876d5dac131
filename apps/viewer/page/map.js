// The map: floor, walls, regions and graph, and over them what the planner knows and does. Draws from one object, `scene`;
// tells where the pointer is.
import { css, dark, hue, pixel, scale } from './color.js';
import { Pen } from './pen.js';
import { Raster } from './raster.js';
import { ends } from './shapes.js';

const near = 16;  // pixels within which a marker is taken

export class MapView extends Pen {
  constructor(...parts) {
    super(...parts);
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  // after the axes have changed
  look() {
    this.world.raster = null;
    this.redraw();
  }

  redraw() {
    this.also?.redraw();
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => { this.pending = 0; this.draw(); });
  }

  nearest(px, py) { return this.world.nearest(...this.from(px, py), this.sx, this.sy); }

  // "start" or "goal" when its marker is under the pointer
  marker(px, py) {
    const { state } = this.scene;
    if (!state) return null;
    const far = which => Math.hypot(...this.at(state[which].point).map((v, k) => v - [px, py][k]));
    const best = far('goal') <= far('start') ? 'goal' : 'start';
    return far(best) < near ? best : null;
  }

  draw() {
    const { world, scene, canvas } = this;
    if (!world.bounds || !canvas.clientWidth) return;
    this.fit();
    const g = this.g = canvas.getContext('2d');
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    g.lineJoin = g.lineCap = 'round';
    const on = scene.layers;
    if (!world.mapped) this.drawAxes();
    if (on.distance || on.clusters) this.drawFloor();
    else if (!world.mapped || !world.run.dimensions) this.drawStates();
    if (world.mapped) this.drawWalls();
    if (on.graph) this.drawGraph();
    if (on.traps) this.drawTraps();
    if (world.mapped) this.drawMarks();
    if (!scene.state) return;
    this.drawPath();
    if (on.route) this.drawRoute();
    this.drawEnds();
    if (this.close) this.drawAgent();
    if (on.search) this.drawSearch();
    if (!this.close) this.drawAgent();
    if (scene.crosshair != null) this.drawCrosshair();
  }

  // distances as colour, regions as colour or, over distances, as borders
  drawFloor() {
    const { world, scene, g } = this, on = scene.layers;
    if (!world.mapped) return this.drawStates();
    if (!world.raster) world.raster = new Raster(world);
    this.raster = world.raster;
    const raster = this.raster, [x, y] = this.at([world.bounds[0], world.bounds[1] + raster.height * raster.cell]);
    const put = image => {
      g.imageSmoothingEnabled = true;
      g.imageSmoothingQuality = 'high';
      g.drawImage(image, x, y, raster.width * raster.cell * this.sx, raster.height * raster.cell * this.sy);
    };
    if (on.distance) {
      const ranks = world.ranks(scene.reference()), colors = Uint32Array.from({ length: 257 }, (_, k) => pixel(...scale(k / 256)));
      put(raster.values(`${scene.reference()} ${dark.matches}`, ranks, r => colors[Math.round(256 * r)]));
    }
    if (on.clusters) {
      const shown = this.shownClusters(), alone = !on.distance, hues = world.run.graph.nodes.map((_, c) => hue(c));
      put(raster.labels(`${alone} ${shown && [...shown]}`, i => world.label(i), (label, border) => {
        const [r, c, b] = hues[label], visible = !shown || shown.has(label);
        if (border) return pixel(0, 0, 0, visible ? alone ? 110 : 90 : 30);
        return pixel(r, c, b, visible && alone ? 150 : 0);
      }));
    }
  }

  // states as points, where there is no floor
  drawStates() {
    const { world, scene, g } = this, { n } = world.sample, on = scene.layers, shown = this.shownClusters();
    const ranks = on.distance ? world.ranks(scene.reference()) : null, r = n > 6000 ? 1.7 : 2.4, plain = css('soft');
    const colors = Array.from({ length: 65 }, (_, k) => `rgb(${scale(k / 64).join()})`);
    const hues = world.run.graph?.nodes.map((_, c) => `rgb(${hue(c).join()})`);
    for (let i = 0; i < n; ++i) {
      const [x, y] = this.at(world.point(i)), label = world.label(i);
      if (x < -r || y < -r || x > this.width + r || y > this.height + r) continue;
      g.globalAlpha = on.clusters && shown && !shown.has(label) ? 0.12 : ranks || on.clusters ? 0.8 : 0.3;
      g.fillStyle = ranks ? colors[Math.round(64 * ranks[i])] : on.clusters ? hues[label] : plain;
      g.fillRect(x - r, y - r, 2 * r, 2 * r);
    }
    g.globalAlpha = 1;
  }

  drawWalls() {
    const { g, world: { run: { world } } } = this;
    g.fillStyle = css('wall');
    for (const [x0, y0, x1, y1] of world.walls) {
      const [px, py] = this.at([x0, y1]), [qx, qy] = this.at([x1, y0]);
      g.fillRect(px - 0.3, py - 0.3, qx - px + 0.6, qy - py + 0.6);
    }
  }

  drawMarks() {
    const { g, world: { run: { world } } } = this;
    for (const m of world.marks) {
      const [x, y] = this.at([m.x, m.y]), entry = m.kind === 'teleport_in';
      g.strokeStyle = css(entry ? 'goal' : 'start');
      g.lineWidth = 2;
      g.setLineDash(entry ? [] : [4, 4]);
      g.beginPath(); g.arc(x, y, m.radius * this.sx, 0, 7); g.stroke();
      g.setLineDash([]);
      this.label(entry ? 'in' : 'out', x, y, css(entry ? 'goal' : 'start'));
    }
  }

  shownClusters() {
    const { scene } = this;
    return scene.shown === 'route' ? new Set(scene.moment?.route || []) : null;
  }

  drawGraph() {
    const { g, world } = this, { edges, nodes, traps } = world.run.graph, shown = this.shownClusters();
    const most = Math.max(...edges.map(e => e[2] + e[3]), 1);
    for (const [a, b, there, back] of edges) {
      const [p, q] = [world.node(a), world.node(b)];
      if (!p || !q || (shown && !(shown.has(a) && shown.has(b)))) continue;
      g.lineWidth = 0.8 + 2.4 * Math.sqrt((there + back) / most);
      this.haloed([p, q], css('ink'), 0.75);
    }
    nodes.forEach((node, c) => {
      const p = world.node(c);
      if (!p || (shown && !shown.has(c))) return;
      const [x, y] = this.at(p);
      g.fillStyle = `rgb(${hue(c).join()})`;
      g.strokeStyle = traps[c] ? css('bad') : css('panel');
      g.lineWidth = 1.5;
      g.beginPath(); g.arc(x, y, 5, 0, 7); g.fill(); g.stroke();
      if (this.sx > 12 || shown || !world.mapped) this.label(String(c), x, y - 11, css('ink'), 10);
    });
  }

  // doors of the data, and regions that only psi holds near
  drawTraps() {
    const { g, world } = this, { leaps, shortcuts } = world.run.near;
    g.lineWidth = 2;
    if (world.mapped || world.axes.every(a => a.startsWith('place')))
      for (const leap of leaps) this.arc(leap.from, leap.to, css('subgoal'), true);
    g.setLineDash([7, 6]);
    for (const s of shortcuts) {
      const [p, q] = [world.node(s.from), world.node(s.to)];
      if (p && q) this.arc(p, q, css('goal'), false);
    }
    g.setLineDash([]);
  }

  drawPath() {
    const { g, scene: { state } } = this;
    g.lineWidth = 2.5;
    // a leap is no line
    const [leapX, leapY] = this.world.run.near.leap.map(limit => limit ?? Infinity);
    let piece = [];
    for (const p of state.path) {
      const last = piece[piece.length - 1];
      if (last && this.world.mapped && (Math.abs(p[0] - last[0]) > leapX || Math.abs(p[1] - last[1]) > leapY)) {
        this.haloed(piece, css('start'));
        piece = [];
      }
      piece.push(p);
    }
    if (piece.length > 1) this.haloed(piece, css('start'));
  }

  drawRoute() {
    const { g, world, scene: { state, moment } } = this;
    if (!moment || moment.done) return;
    const here = state.path[state.path.length - 1];
    const points = [here, ...moment.route.slice(1, -1).map(c => world.node(c)).filter(Boolean), state.goal.point];
    g.lineWidth = 3;
    g.setLineDash(moment.no_route || moment.goal_cluster < 0 ? [2, 8] : [9, 7]);
    this.haloed(points, css('accent'));
    g.setLineDash([]);
    for (const c of moment.route.slice(1, -1)) {
      const p = world.node(c);
      if (!p) continue;
      const [x, y] = this.at(p);
      g.fillStyle = css('panel'); g.strokeStyle = css('accent'); g.lineWidth = 2;
      g.beginPath(); g.arc(x, y, 4, 0, 7); g.fill(); g.stroke();
    }
    // the subgoal: the next region, or the goal itself
    const target = moment.target < 0 || moment.target === moment.goal_cluster ? state.goal.point : world.node(moment.target);
    if (!target) return;
    const [x, y] = this.at(target);
    for (const [color, width] of [[css('panel'), 5], [css('subgoal'), 3]]) {
      g.strokeStyle = color; g.lineWidth = width;
      g.beginPath(); g.arc(x, y, 12, 0, 7); g.stroke();
    }
  }

  drawSearch() {
    const { g, scene: { moment } } = this;
    if (!moment) return;
    const pairs = flat => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
    const line = flat => { g.beginPath(); pairs(flat).forEach(p => g.lineTo(...this.at(p))); g.stroke(); };
    const last = Math.max(0, ...moment.imagined.map(i => i.iteration));
    for (const elite of [false, true]) {
      g.strokeStyle = css(elite ? 'elite' : 'other');
      for (const i of moment.imagined.filter(i => i.elite === elite)) {
        // the last iteration stands out
        g.globalAlpha = (elite ? 0.85 : 0.45) * (i.iteration === last ? 1 : 0.35);
        g.lineWidth = (elite ? 1.6 : 1) * (this.close ? 1.4 : 1);
        line(i.path);
      }
    }
    g.globalAlpha = 1;
    if (moment.imagined_plan.length > 2) {
      g.lineWidth = 2.4;
      this.haloed(pairs(moment.imagined_plan), css('plan'));
    }
  }

  drawEnds() {
    const { g, world, scene: { state } } = this;
    for (const which of ['start', 'goal']) {
      const [x, y] = this.at(state[which].point), color = css(which);
      if (which === 'goal' && world.mapped) {
        g.fillStyle = color; g.globalAlpha = 0.22;
        g.beginPath(); g.arc(x, y, world.run.world.tolerance * this.sx, 0, 7); g.fill();
        g.globalAlpha = 1;
      }
      g.fillStyle = color; g.strokeStyle = css('panel'); g.lineWidth = 2.5;
      g.beginPath();
      if (which === 'start') g.arc(x, y, 8, 0, 7); else g.roundRect(x - 8, y - 8, 16, 16, 3);
      g.stroke(); g.fill();
      this.label(which === 'start' ? 'S' : 'G', x, y, css('panel'), 11, false);
    }
  }

  drawAgent() {
    const { g, world, scene: { state, moment } } = this, here = state.path[state.path.length - 1];
    const [x, y] = this.at(here);
    if (world.mapped && moment?.scene) {
      // the body from above, to scale, the lowest parts first
      const moving = world.run.scene.parts.filter((_, i) => !world.still.has(i)), { poses } = moment.scene;
      const solids = moving.map((part, i) => ({ part, pose: poses.slice(7 * i, 7 * i + 7) })).sort((s, t) => s.pose[2] - t.pose[2]);
      for (const { part, pose } of solids) {
        const [a, b] = ends(part, pose).map(e => this.at(e));
        for (const [color, extra] of [[css('ink'), 1.6], [part.color, 0]]) {
          g.strokeStyle = color; g.lineWidth = Math.max(1.5, 2 * part.size[0] * this.sx) + extra;
          g.beginPath(); g.moveTo(...a); g.lineTo(b[0] + 0.01, b[1]); g.stroke();
        }
      }
      return;
    }
    if (state.path.length < 2) return;
    g.fillStyle = css('ink'); g.strokeStyle = css('panel'); g.lineWidth = 2.5;
    g.beginPath(); g.arc(x, y, 7, 0, 7); g.stroke(); g.fill();
  }

  drawCrosshair() {
    const { g } = this, [x, y] = this.at(this.world.point(this.scene.crosshair));
    g.strokeStyle = css('ink'); g.lineWidth = 1.5;
    g.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) { g.moveTo(x + 5 * dx, y + 5 * dy); g.lineTo(x + 14 * dx, y + 14 * dy); }
    g.stroke();
  }
}
