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
    const box = Math.max(reach / 3, cell), across = Math.ceil(width * cell / box) + 1, boxes = new Map();
    for (let i = 0; i < n; ++i) {
      const key = Math.floor((y[i] - y0) / box) * across + Math.floor((x[i] - x0) / box);
      if (boxes.has(key)) boxes.get(key).push(i); else boxes.set(key, [i]);
    }
    this.states = new Int32Array(width * height * neighbours).fill(-1);
    this.weights = new Float32Array(width * height * neighbours);
    const found = [];
    for (let row = 0; row < height; ++row)
      for (let column = 0; column < width; ++column) {
        const px = x0 + (column + 0.5) * cell, py = y0 + (row + 0.5) * cell;
        const bx = Math.floor((px - x0) / box), by = Math.floor((py - y0) / box);
        found.length = 0;
        // near boxes first; the ring beyond only where they are empty
        for (let ring = 1; ring <= 3 && found.length === 0; ++ring)
          for (let dy = -ring; dy <= ring; ++dy)
            for (let dx = -ring; dx <= ring; ++dx)
              for (const i of boxes.get((by + dy) * across + bx + dx) || []) {
                const far = (x[i] - px) ** 2 + (y[i] - py) ** 2;
                if (far <= reach * reach) found.push([far, i]);
              }
        found.sort((a, b) => a[0] - b[0]);
        const at = ((height - 1 - row) * width + column) * neighbours;
        let sum = 0;
        for (let k = 0; k < Math.min(neighbours, found.length); ++k) {
          this.states[at + k] = found[k][1];
          sum += this.weights[at + k] = 1 / (found[k][0] + cell * cell);
        }
        for (let k = 0; k < neighbours; ++k) this.weights[at + k] /= sum || 1;
      }
  }

  // painted anew only when the key has changed
  paint(kind, key, color) {
    const known = this.pictures.get(kind), canvas = known?.canvas || document.createElement('canvas');
    if (known?.key === key) return canvas;
    this.pictures.set(kind, { key, canvas });
    [canvas.width, canvas.height] = [this.width, this.height];
    const context = canvas.getContext('2d'), image = context.createImageData(this.width, this.height);
    for (let c = 0; c < this.width * this.height; ++c) {
      if (this.states[c * neighbours] < 0) continue;
      const [r, g, b, a = 255] = color(c * neighbours, c);
      image.data.set([r, g, b, a], 4 * c);
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  values(key, values, color) {
    return this.paint('values', key, at => {
      let sum = 0;
      for (let k = 0; k < neighbours && this.states[at + k] >= 0; ++k) sum += this.weights[at + k] * values[this.states[at + k]];
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
