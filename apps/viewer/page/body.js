// The body of an ant or a humanoid, from its solids: round ones drawn as shaded strokes, the far ones first, over a floor
// that moves along beneath it. Dragging turns the view.
import { css } from './color.js';

const length = v => Math.hypot(...v);
const shade = (color, light) => {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
  const mix = light < 0 ? [0, 0, 0] : [255, 255, 255], t = Math.abs(light);
  return `rgb(${[r, g, b].map((c, i) => Math.round(c + t * (mix[i] - c))).join()})`;
};

// ends of a solid's long axis
export const ends = ([, c, axis, , half]) => [c.map((v, k) => v - half * axis[k]), c.map((v, k) => v + half * axis[k])];

export class BodyView {
  constructor(canvas) {
    this.canvas = canvas;
    this.turn = -0.9;
    this.tilt = 0.42;
    this.parts = [];
    let at = null;
    canvas.addEventListener('pointerdown', e => { at = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', () => { at = null; });
    canvas.addEventListener('pointermove', e => {
      if (!at) return;
      this.turn += (e.clientX - at[0]) * 0.01;
      this.tilt = Math.min(1.5, Math.max(0.05, this.tilt + (e.clientY - at[1]) * 0.01));
      at = [e.clientX, e.clientY];
      this.draw();
    });
  }

  show(parts) { this.parts = parts; this.draw(); }

  draw() {
    const { canvas, parts } = this, ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const g = canvas.getContext('2d');
    g.scale(ratio, ratio);
    if (!parts.length) return;

    // the camera looks at the middle of the body from so far away that all of it is seen
    const middle = [0, 1, 2].map(k => parts.reduce((sum, p) => sum + p[1][k], 0) / parts.length);
    const size = Math.max(...parts.flatMap(p => ends(p).map(e => length(e.map((v, k) => v - middle[k])) + p[3])));
    this.size = Math.max(size, 0.98 * (this.size || size));  // it does not pump with every step
    const far = 4.2 * this.size, [ct, st, cp, sp] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const look = p => {
      const [x, y, z] = p.map((v, k) => v - middle[k]), u = ct * x + st * y, v = -st * x + ct * y;
      const depth = far + cp * v - sp * z, up = sp * v + cp * z, zoom = 1.9 * height / depth;
      return { x: width / 2 + zoom * u, y: height * 0.5 - zoom * up, depth, zoom };
    };

    // the floor: a grid of one unit
    const reach = Math.ceil(2.2 * this.size), [fx, fy] = [Math.floor(middle[0]), Math.floor(middle[1])];
    g.strokeStyle = css('line');
    g.lineWidth = 1;
    g.beginPath();
    for (let k = -reach; k <= reach; ++k)
      for (const [a, b] of [[[fx + k, fy - reach, 0], [fx + k, fy + reach, 0]], [[fx - reach, fy + k, 0], [fx + reach, fy + k, 0]]]) {
        const [p, q] = [look(a), look(b)];
        if (p.depth > 0.2 && q.depth > 0.2) { g.moveTo(p.x, p.y); g.lineTo(q.x, q.y); }
      }
    g.stroke();

    // shadows, then the solids
    const stroke = (a, b, width, style) => {
      g.strokeStyle = style;
      g.lineWidth = Math.max(1, width);
      g.lineCap = 'round';
      g.beginPath(); g.moveTo(a.x, a.y); g.lineTo(b.x + 0.01, b.y); g.stroke();
    };
    for (const p of parts) {
      const [a, b] = ends(p).map(e => look([e[0], e[1], 0]));
      stroke(a, b, 1.6 * p[3] * a.zoom, 'rgb(0 0 0 / 0.10)');
    }
    const solids = parts.map(p => ({ p, ends: ends(p).map(look) }));
    solids.sort((s, t) => t.ends[0].depth + t.ends[1].depth - s.ends[0].depth - s.ends[1].depth);
    for (const { p, ends: [a, b] } of solids) {
      const wide = 2 * p[3] * (a.zoom + b.zoom) / 2, lift = wide * 0.14;
      stroke(a, b, wide, shade(p[5], -0.42));
      stroke({ x: a.x - lift * 0.5, y: a.y - lift * 0.6 }, { x: b.x - lift * 0.5, y: b.y - lift * 0.6 }, wide * 0.78, shade(p[5], -0.08));
      stroke({ x: a.x - lift, y: a.y - lift * 1.3 }, { x: b.x - lift, y: b.y - lift * 1.3 }, wide * 0.3, shade(p[5], 0.35));
    }
  }
}
