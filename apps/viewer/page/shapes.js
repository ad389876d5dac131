// Triangles of MuJoCo's shapes: corners as (place, normal), six numbers each. Long axes are z.

// a surface over u, v in [0, 1], at(u, v) -> [place, normal]
function surface(across, along, at, out) {
  const corner = (i, j) => { const [p, n] = at(i / across, j / along); out.push(...p, ...n); };
  for (let i = 0; i < across; ++i)
    for (let j = 0; j < along; ++j)
      for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) corner(i + a, j + b);
}

const turn = Math.PI * 2;

// the upper half of a ball is lifted by `half`, the lower one lowered: a capsule
function ball([rx, ry, rz], half = 0) {
  const out = [];
  surface(24, 16, (u, v) => {
    const a = u * turn, b = (v - 0.5) * Math.PI, n = [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
    const slope = [n[0] / rx, n[1] / ry, n[2] / rz], length = Math.hypot(...slope);
    return [[rx * n[0], ry * n[1], rz * n[2] + (v < 0.5 ? -half : half)], slope.map(x => x / length)];
  }, out);
  return out;
}

function cylinder(radius, half) {
  const out = [], round = a => [Math.cos(a), Math.sin(a)];
  surface(24, 1, (u, v) => { const [c, s] = round(u * turn); return [[radius * c, radius * s, (2 * v - 1) * half], [c, s, 0]]; }, out);
  for (const side of [-1, 1])
    surface(24, 1, (u, v) => { const [c, s] = round(u * turn); return [[v * radius * c, v * radius * s, side * half], [0, 0, side]]; }, out);
  return out;
}

function box(size) {
  const out = [];
  for (const axis of [0, 1, 2])
    for (const side of [-1, 1])
      surface(1, 1, (u, v) => {
        const p = [0, 0, 0], n = [0, 0, 0];
        n[axis] = side;
        p[axis] = side; p[(axis + 1) % 3] = 2 * u - 1; p[(axis + 2) % 3] = 2 * v - 1;
        return [p.map((x, k) => x * size[k]), n];
      }, out);
  return out;
}

export function corners({ shape, size }) {
  const [a, b] = size;
  return new Float32Array(shape === 'sphere' ? ball([a, a, a]) : shape === 'ellipsoid' ? ball(size) : shape === 'capsule' ? ball([a, a, a], b)
    : shape === 'cylinder' ? cylinder(a, b) : box(size));
}

// place and rotation of a part, [x, y, z, w, i, j, k], as WebGL's matrix: columns one after the other
export function matrix([x, y, z, w, i, j, k]) {
  return [1 - 2 * (j * j + k * k), 2 * (i * j + w * k), 2 * (i * k - w * j), 0,
    2 * (i * j - w * k), 1 - 2 * (i * i + k * k), 2 * (j * k + w * i), 0,
    2 * (i * k + w * j), 2 * (j * k - w * i), 1 - 2 * (i * i + j * j), 0, x, y, z, 1];
}

// both ends of a part's long axis
export function ends(part, pose) {
  const m = matrix(pose), half = part.shape === 'capsule' || part.shape === 'cylinder' ? part.size[1] : 0;
  return [-half, half].map(t => [m[12] + t * m[8], m[13] + t * m[9], m[14] + t * m[10]]);
}
