// What is known of the run on the page: the sampled states, seen along two axes, and distances in psi between them.
import * as api from './api.js';

export class World {
  constructor(run, sample) {
    Object.assign(this, { run, sample });
    this.columns = new Map();
    this.still = new Set(run.scene?.still.map(([part]) => part));
    this.usual = this.usualDistances();
  }

  // along the axes "place:0", "psi:1", "observation:5"
  async look(axes) {
    this.axes = axes;
    [this.x, this.y] = await Promise.all(axes.map(axis => this.along(axis)));
    this.mapped = axes[0] === 'place:0' && axes[1] === 'place:1' && !!this.run.world?.bounds;
    this.bounds = this.spread(this.mapped ? 0.08 : 0.04);
    if (!this.mapped) return;
    // walls around the floor, as far as they tell where it ends
    const [x0, y0, x1, y1] = this.run.world.bounds, [a, b, c, d] = this.bounds;
    this.bounds = [Math.max(x0, a), Math.max(y0, b), Math.min(x1, c), Math.min(y1, d)];
  }

  async along(axis) {
    if (this.columns.has(axis)) return this.columns.get(axis);
    const [kind, index] = axis.split(':'), { n, d, psi, places } = this.sample;
    const out = kind === 'observation' ? await api.column(index)
      : Float32Array.from({ length: n }, (_, i) => kind === 'psi' ? psi[i * d + +index] : places[2 * i + +index]);
    this.columns.set(axis, out);
    return out;
  }

  spread(share = 0.04) {
    const range = values => {
      const sorted = values.slice().sort(), low = sorted[0], high = sorted[sorted.length - 1];
      const margin = share * (high - low) || 1;
      return [low - margin, high + margin];
    };
    const [a, b] = [range(this.x), range(this.y)];
    return [a[0], b[0], a[1], b[1]];
  }

  // distances of pairs of states, in order: one scale for all references, which a few far places do not spoil
  usualDistances() {
    const spread = this.spreadStates(), n = spread.length, all = [], steps = 256;
    for (let k = 0; k < 4000; ++k) all.push(this.distance(spread[(k * 7919) % n], spread[(k * 104729 + 13) % n]));
    all.sort((a, b) => a - b);
    return Float32Array.from({ length: steps }, (_, k) => all[Math.floor(k * (all.length - 1) / (steps - 1))]);
  }

  // one state for each patch of the floor, so that places where data crowd count no more than others
  spreadStates() {
    const { n, places } = this.sample, patches = new Map(), all = Array.from({ length: n }, (_, i) => i);
    if (!places) return all;
    const [low, high] = [Infinity, -Infinity].map((v, k) => [0, 1].map(a => all.reduce((m, i) => (k ? Math.max : Math.min)(m, places[2 * i + a]), v)));
    for (const i of all) patches.set([0, 1].map(a => Math.floor(40 * (places[2 * i + a] - low[a]) / (high[a] - low[a] || 1))).join(), i);
    return [...patches.values()];
  }

  // the share of pairs that are nearer than this
  rank(distance) {
    const { usual } = this;
    let low = 0, high = usual.length - 1;
    if (distance >= usual[high]) return 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (usual[middle] <= distance) low = middle; else high = middle; }
    const step = usual[high] - usual[low];
    return (low + (step > 0 ? Math.max(0, distance - usual[low]) / step : 0)) / (usual.length - 1);
  }

  distance(i, j) {
    const { psi, d } = this.sample;
    let sum = 0;
    for (let k = 0; k < d; ++k) sum += (psi[i * d + k] - psi[j * d + k]) ** 2;
    return Math.sqrt(sum);
  }

  // how far all states are from one, on the scale of rank()
  ranks(from) {
    if (this.run.value) return this.last ||= new Float32Array(this.sample.n).fill(0.5);
    if (this.lastFrom === from) return this.last;
    const { psi, n, d } = this.sample, out = this.last = this.last || new Float32Array(n);
    for (let i = 0; i < n; ++i) {
      let sum = 0;
      for (let k = 0; k < d; ++k) { const e = psi[i * d + k] - psi[from * d + k]; sum += e * e; }
      out[i] = this.rank(Math.sqrt(sum));
    }
    this.lastFrom = from;
    return out;
  }

  // The state that colours are about. Values are asked of the program, one after the other: until they are there, the
  // last ones are shown.
  reference(wanted, arrived) {
    if (!this.run.value || wanted === this.lastFrom) return wanted;
    if (!this.asking) {
      this.asking = true;
      api.value(wanted).then(values => this.rankValues(values), () => {}).finally(() => {
        this.lastFrom = wanted;
        this.asking = false;
        arrived();
      });
    }
    return this.lastFrom ?? -1;
  }

  // the share of states of higher value: 0 at the goal
  rankValues(values) {
    const { n } = this.sample, order = Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a]);
    this.last = new Float32Array(n);
    order.forEach((i, place) => { this.last[i] = place / n; });
  }

  // the state nearest to a point, along the axes as they are drawn
  nearest(x, y, scaleX = 1, scaleY = 1) {
    let best = 0, least = Infinity;
    for (let i = 0; i < this.sample.n; ++i) {
      const d = ((this.x[i] - x) * scaleX) ** 2 + ((this.y[i] - y) * scaleY) ** 2;
      if (d < least) { least = d; best = i; }
    }
    return best;
  }

  // an axis in words: "psi 2"
  name(axis) {
    const [kind, index] = axis.split(':');
    return kind === 'place' ? `place ${'xy'[index]}` : `${kind === 'psi' ? this.run.space : kind} ${+index + 1}`;
  }

  point(i) { return [this.x[i], this.y[i]]; }
  node(cluster) { const i = this.run.graph?.nodes[cluster]; return i == null ? null : this.point(i); }
  label(i) { return this.sample.labels ? this.sample.labels[i] : -1; }
}
