// Small charts: lines over a few numbers, with the values that matter written at them.
import { css } from './color.js';

function prepare(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
}

export const short = v => v == null ? '?' : Math.abs(v) >= 1e6 ? v.toExponential(1) : Math.abs(v) >= 1e5 ? `${(v / 1e3).toFixed(0)}k` : Math.abs(v) >= 1e4 ? `${(v / 1e3).toFixed(1)}k` : Math.abs(v) >= 100 ? v.toFixed(0) : Math.abs(v) >= 10 ? v.toFixed(1) : v.toPrecision(2);

// lines: [{values, color, width, fill}]; from zero when `zero`; marks: [{at, color}]
export function chart(canvas, lines, { zero = false, marks = [], dots = false, empty = '' } = {}) {
  const { g, width, height } = prepare(canvas);
  const all = lines.flatMap(l => l.values.filter(v => v != null)), count = Math.max(0, ...lines.map(l => l.values.length));
  g.font = '11px system-ui, sans-serif';
  g.textBaseline = 'middle';
  if (!all.length) { g.fillStyle = css('soft'); g.fillText(empty, 0, height / 2); return; }
  let low = zero ? 0 : Math.min(...all), high = Math.max(...all);
  if (high - low < 1e-9) { high += 0.5 * Math.abs(high) + 1e-3; if (!zero) low -= 0.5 * Math.abs(low) + 1e-3; }
  const room = 42, top = 7, bottom = height - 7;
  const x = i => count > 1 ? 3 + i * (width - room - 3) / (count - 1) : (width - room) / 2;
  const y = v => bottom - (v - low) / (high - low) * (bottom - top);
  g.strokeStyle = css('line');
  g.lineWidth = 1;
  g.beginPath();
  for (const v of [low, high]) { g.moveTo(0, Math.round(y(v)) + 0.5); g.lineTo(width - room, Math.round(y(v)) + 0.5); }
  g.stroke();
  for (const m of marks) {
    g.strokeStyle = m.color;
    g.beginPath(); g.moveTo(x(m.at), top); g.lineTo(x(m.at), bottom); g.stroke();
  }
  const taken = [];
  for (const line of lines) {
    g.strokeStyle = g.fillStyle = line.color;
    g.lineWidth = line.width || 1.6;
    g.beginPath();
    line.values.forEach((v, i) => { if (v != null) g.lineTo(x(i), y(v)); });
    g.stroke();
    if (dots) line.values.forEach((v, i) => { if (v != null) { g.beginPath(); g.arc(x(i), y(v), 2.6, 0, 7); g.fill(); } });
    const last = line.values.findLast(v => v != null);
    if (last == null) continue;
    // values at the ends, which do not cover each other
    let at = Math.min(height - 6, Math.max(6, y(last)));
    for (const other of taken) if (Math.abs(other - at) < 12) at = other > height / 2 ? other - 12 : other + 12;
    taken.push(at);
    g.fillText(short(last), width - room + 5, at);
  }
}
