// The floor as a picture: every cell of a raster knows the states next to it, so that values of states become colours of
// the floor. Made once for each view; painting another reference is then a matter of a millisecond.
const neighbours = 4;

export class Raster {
  constructor(world, size = 220) {
    const [x0, y0, x1, y1] = world.bounds, longest = Math.max(x1 - x0, y1 - y0);
    this.cell = longest / size;
    this.width = Math.max(1, Math.ceil((x1 - x0) / this.cell));
    this.height = Math.max(1, Math.ceil((y1 - y0) / this.cell));
    this.world = world;
    this.reach = 0.07 * longest;
    this.pictures = new Map();  // kind: {key, canvas}
    this.find(x0, y0);
  }

  // for each cell the nearest states, and how much each counts
  find(x0, y0) {
    const { world, cell, width, height, reach } = this, { x, y, sample: { n } } = world;
    const box = 1.5 * cell, across = Math.ceil(width * cell / box) + 1, down = Math.ceil(height * cell / box) + 1;
    const inBox = (v, low, most) => Math.min(most - 1, Math.max(0, Math.floor((v - low) / box)));
    const boxOf = i => inBox(y[i], y0, down) * across + inBox(x[i], x0, across);

    // the states in order of their boxes
    const first = new Int32Array(across * down + 1), order = new Int32Array(n);
    for (let i = 0; i < n; ++i) ++first[boxOf(i) + 1];
    for (let k = 0; k < across * down; ++k) first[k + 1] += first[k];
    const next = first.slice();
    for (let i = 0; i < n; ++i) order[next[boxOf(i)]++] = i;

    this.states = new Int32Array(width * height * neighbours).fill(-1);
    this.weights = new Float32Array(width * height * neighbours);
    const best = new Int32Array(neighbours), far = new Float64Array(neighbours), rings = Math.ceil(reach / box);
    for (let row = 0; row < height; ++row)
      for (let column = 0; column < width; ++column) {
        const px = x0 + (column + 0.5) * cell, py = y0 + (row + 0.5) * cell, bx = inBox(px, x0, across), by = inBox(py, y0, down);
        let count = 0, last = rings;
        far.fill(reach * reach);
        const look = k => {
          for (let o = first[k]; o < first[k + 1]; ++o) {
            const i = order[o], d = (x[i] - px) ** 2 + (y[i] - py) ** 2;
            if (d >= far[neighbours - 1]) continue;
            let at = Math.min(count, neighbours - 1);
            for (; at > 0 && far[at - 1] > d; --at) { far[at] = far[at - 1]; best[at] = best[at - 1]; }
            far[at] = d;
            best[at] = i;
            count = Math.min(count + 1, neighbours);
          }
        };
        // ring by ring, and one more when there are enough
        for (let ring = 0; ring <= last; ++ring) {
          for (let dy = -ring; dy <= ring; ++dy)
            for (let dx = -ring; dx <= ring; dx += Math.abs(dy) === ring || ring === 0 ? 1 : 2 * ring)
              if (bx + dx >= 0 && bx + dx < across && by + dy >= 0 && by + dy < down) look((by + dy) * across + bx + dx);
          if (count === neighbours) last = Math.min(last, ring + 1);
        }
        const at = ((height - 1 - row) * width + column) * neighbours;
        let sum = 0;
        for (let k = 0; k < count; ++k) {
          this.states[at + k] = best[k];
          sum += this.weights[at + k] = 1 / (far[k] + cell * cell);
        }
        for (let k = 0; k < count; ++k) this.weights[at + k] /= sum;
      }
  }

  // painted anew only when the key has changed
  paint(kind, key, color) {
    const known = this.pictures.get(kind), canvas = known?.canvas || document.createElement('canvas');
    if (known?.key === key) return canvas;
    this.pictures.set(kind, { key, canvas });
    [canvas.width, canvas.height] = [this.width, this.height];
    const context = canvas.getContext('2d'), image = context.createImageData(this.width, this.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let c = 0; c < pixels.length; ++c) if (this.states[c * neighbours] >= 0) pixels[c] = color(c * neighbours, c);
    context.putImageData(image, 0, 0);
    return canvas;
  }

  values(key, values, color) {
    return this.paint('values', key, at => {
      let sum = 0;
      for (let k = at; k < at + neighbours && this.states[k] >= 0; ++k) sum += this.weights[k] * values[this.states[k]];
      return color(sum);
    });
  }

  // regions, with darker borders
  labels(key, label, color) {
    const { width } = this, own = at => label(this.states[at]);
    return this.paint('labels', key, (at, c) => {
      const mine = own(at), right = (c + 1) % width && this.states[at + neighbours] >= 0 ? own(at + neighbours) : mine;
      const under = at + width * neighbours;
      const below = under < this.states.length && this.states[under] >= 0 ? own(under) : mine;
      return color(mine, right !== mine || below !== mine);
    });
  }
}
