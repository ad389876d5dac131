// Draws in the world's coordinates: where a point lies on the canvas, and lines, arcs and words that stand out from any
// ground.
import { css } from './color.js';

export class Pen {
  // `close`: a close-up that follows the agent
  constructor(canvas, world, scene, close = false) { Object.assign(this, { canvas, world, scene, close }); }

  fit() {
    const ratio = devicePixelRatio || 1, { canvas } = this, width = canvas.clientWidth, height = canvas.clientHeight;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const [x0, y0, x1, y1] = this.close ? this.around(width / height) : this.world.bounds, pad = this.close ? 0 : 14;
    let sx = (width - 2 * pad) / (x1 - x0), sy = (height - 2 * pad) / (y1 - y0);
    if (this.world.axes.every(a => a.startsWith('place'))) sx = sy = Math.min(sx, sy);  // a map keeps its shape
    const left = (width - sx * (x1 - x0)) / 2, base = (height + sy * (y1 - y0)) / 2;
    Object.assign(this, { sx, sy, ratio, left, base, width, height, x0, y0 });
    Object.assign(canvas.dataset, { view: [left, base, sx, sy, x0, y0], axes: this.world.axes });
  }

  // what the search imagines, with some room; the size changes slowly
  around(aspect) {
    const { moment, state } = this.scene, [x0, y0, x1, y1] = this.world.bounds;
    const points = [...(moment?.imagined || []).map(i => i.path), moment?.imagined_plan || []].flat(), [hx, hy] = state?.path.at(-1) || [x0, y0];
    const sy = 1 / (y1 - y0), sx = this.world.axes.every(a => a.startsWith('place')) ? sy : 1 / (x1 - x0);
    let reach = 0.03;
    for (let k = 0; k < points.length; k += 2) reach = Math.max(reach, Math.abs(points[k] - hx) * sx, Math.abs(points[k + 1] - hy) * sy);
    this.reach = Math.min(0.3, Math.max(1.25 * reach, 0.95 * (this.reach || 0)));
    const [w, h] = [this.reach * Math.max(1, aspect) / sx, this.reach / sy];
    return [hx - w, hy - h, hx + w, hy + h];
  }

  at([x, y]) { return [this.left + (x - this.x0) * this.sx, this.base - (y - this.y0) * this.sy]; }
  from(px, py) { return [this.x0 + (px - this.left) / this.sx, this.y0 + (this.base - py) / this.sy]; }

  // lines at round values along both axes, with the values at the edge; for scatters, whose numbers mean something
  drawAxes() {
    const { g, width, height, world } = this, around = this.close ? 3 : 7;
    g.lineWidth = 1;
    g.font = '11px system-ui, "DejaVu Sans", sans-serif';
    for (const [k, scale, low, length] of [[0, this.sx, this.from(0, 0)[0], width], [1, this.sy, this.from(0, height)[1], height]]) {
      const rough = length / scale / around, power = 10 ** Math.floor(Math.log10(rough)), step = power * ([1, 2, 5, 10].find(f => f * power >= rough));
      if (!Number.isFinite(step) || step <= 0) continue;
      g.textAlign = k ? 'left' : 'center'; g.textBaseline = k ? 'middle' : 'bottom';
      for (let i = Math.ceil(low / step); i * step < low + length / scale; ++i) {
        const [x, y] = this.at(k ? [0, i * step] : [i * step, 0]), text = String(+(i * step).toPrecision(6));
        g.strokeStyle = css('line');
        g.beginPath();
        if (k) { g.moveTo(0, y); g.lineTo(width, y); } else { g.moveTo(x, 0); g.lineTo(x, height); }
        g.stroke();
        g.fillStyle = css('soft');
        if (k ? y < height - 22 && y > 8 : x > 44 && x < width - 24) g.fillText(text, k ? 4 : x, k ? y : height - 3);
      }
    }
  }

  arc(from, to, color, arrow) {
    const { g } = this, [a, b] = [this.at(from), this.at(to)], [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const [cx, cy] = [(a[0] + b[0]) / 2 - 0.18 * dy, (a[1] + b[1]) / 2 + 0.18 * dx];
    const line = () => { g.beginPath(); g.moveTo(...a); g.quadraticCurveTo(cx, cy, ...b); g.stroke(); };
    const width = g.lineWidth;
    g.strokeStyle = css('panel'); g.globalAlpha = 0.7; g.lineWidth = width + 2.5; line();
    g.strokeStyle = g.fillStyle = color; g.globalAlpha = 0.95; g.lineWidth = width; line();
    g.globalAlpha = 1;
    if (!arrow) return;
    const angle = Math.atan2(b[1] - cy, b[0] - cx);
    g.beginPath();
    g.moveTo(...b);
    for (const turn of [2.7, -2.7]) g.lineTo(b[0] + 10 * Math.cos(angle + turn), b[1] + 10 * Math.sin(angle + turn));
    g.fill();
  }

  haloed(points, color, alpha = 1) {
    const { g } = this, width = g.lineWidth;
    g.beginPath();
    points.forEach(p => g.lineTo(...this.at(p)));
    g.strokeStyle = css('panel'); g.globalAlpha = 0.55 * alpha; g.lineWidth = width + 2.5; g.stroke();
    g.strokeStyle = color; g.globalAlpha = alpha; g.lineWidth = width; g.stroke();
    g.globalAlpha = 1;
  }

  label(text, x, y, color, size = 11, halo = true) {
    const { g } = this;
    g.font = `600 ${size}px system-ui, "DejaVu Sans", sans-serif`;
    g.textAlign = 'center'; g.textBaseline = 'middle';
    if (halo) { g.strokeStyle = css('panel'); g.lineWidth = 3; g.strokeText(text, x, y); }
    g.fillStyle = color;
    g.fillText(text, x, y + 0.5);
  }
}
