// The scene in three dimensions, by WebGL: what moves, what stands around it, and, faintly, where the goal wants it. The floor is a
// grid of one unit. Dragging turns the view, the wheel comes nearer.
import { css } from './color.js';
import { corners, matrix } from './shapes.js';

const vertexCode = `#version 300 es
uniform mat4 view, place;
uniform bool shadow;
in vec3 corner, normal;
out vec3 facing;
void main() {
  vec4 at = place * vec4(corner, 1.0);
  if (shadow) at = vec4(at.xy - 0.25 * at.z, 0.002, 1.0);
  facing = mat3(place) * normal;
  gl_Position = view * at;
}`;
const pixelCode = `#version 300 es
precision highp float;
uniform vec4 color;
uniform bool plain;
in vec3 facing;
out vec4 shown;
void main() {
  float light = 0.48 + 0.52 * max(0.0, dot(normalize(facing), normalize(vec3(0.35, 0.35, 0.87))));
  shown = vec4((plain ? 1.0 : light) * color.rgb, 1.0) * color.a;
}`;

const rgb = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16) / 255);
const pressed = [0.95, 0.95, 0.95];  // the head of a button that is on

// projection times view, for an eye at `distance` from `middle`; MuJoCo's angle of view, 45 degrees
function look({ middle, distance, turn, tilt, aspect }) {
  const [ct, st, cp, sp] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  // right, up, and towards the eye
  const axes = [[-st, ct, 0], [-sp * ct, -sp * st, cp], [cp * ct, cp * st, sp]];
  const [right, up, back] = axes.map((a, k) => [...a, -a.reduce((sum, v, i) => sum + v * middle[i], 0) - (k === 2 ? distance : 0)]);
  const zoom = 1 / Math.tan(Math.PI / 8), near = distance / 50, far = distance * 20, depth = (far + near) / (far - near);
  const clip = [right.map(v => v * zoom / aspect), up.map(v => v * zoom), back.map((v, i) => -depth * v - (i === 3 ? 2 * far * near / (far - near) : 0)),
    back.map(v => -v)];
  return [0, 1, 2, 3].flatMap(column => clip.map(row => row[column]));
}

// whether a box lies between the eye and what it looks at, or nearly so
function hides({ shape, size }, pose, eye, middle, margin) {
  if (shape !== 'box') return false;
  const m = matrix(pose), local = p => [0, 1, 2].map(k => [0, 1, 2].reduce((sum, i) => sum + m[4 * k + i] * (p[i] - pose[i]), 0));
  const [a, b] = [eye, middle].map(local);
  let first = 0, last = 1;
  for (const k of [0, 1, 2]) {
    const cuts = [-1, 1].map(side => (side * (size[k] + margin) - a[k]) / (b[k] - a[k] || 1e-9)).sort((s, t) => s - t);
    [first, last] = [Math.max(first, cuts[0]), Math.min(last, cuts[1])];
  }
  // what the agent touches is not in its way
  return first < Math.min(last, 0.9);
}

export class BodyView {
  // scene: parts, poses of those that stand still, camera; meshes: their corners, one after the other
  constructor(canvas, scene, meshes) {
    Object.assign(this, { canvas, scene });
    this.still = new Map(scene.still.map(([part, ...pose]) => [part, pose]));
    this.moving = scene.parts.map((_, i) => i).filter(i => !this.still.has(i));
    this.ghosts = this.moving.filter(i => scene.parts[i].goal);
    this.turn = scene.camera.azimuth;
    this.tilt = scene.camera.elevation;
    this.near = 1;
    const gl = this.gl = canvas.getContext('webgl2', { stencil: true, antialias: true });
    document.getElementById('no-webgl').hidden = !!gl;
    canvas.hidden = !gl;
    if (!gl) return;
    this.prepare(meshes);
    this.listen();
  }

  prepare(meshes) {
    const { gl, scene } = this, program = this.program = gl.createProgram();
    for (const [type, code] of [[gl.VERTEX_SHADER, vertexCode], [gl.FRAGMENT_SHADER, pixelCode]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, code);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    this.uniform = Object.fromEntries(['view', 'place', 'shadow', 'color', 'plain'].map(name => [name, gl.getUniformLocation(program, name)]));
    // parts of one shape and size share their corners
    const made = new Map();
    let start = 0;
    const ofMesh = scene.meshes.map(count => { const all = meshes.subarray(start, start + 6 * count); start += 6 * count; return all; });
    this.shapes = scene.parts.map(part => {
      const key = part.shape === 'mesh' ? `mesh ${part.mesh}` : [part.shape, ...part.size].join();
      if (!made.has(key)) made.set(key, this.load(part.shape === 'mesh' ? ofMesh[part.mesh] : corners(part)));
      return made.get(key);
    });
  }

  load(data) {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    ['corner', 'normal'].forEach((name, k) => {
      const at = gl.getAttribLocation(this.program, name);
      if (at < 0) return;
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, 12 * k);
    });
    return { array, count: data.length / 6 };
  }

  listen() {
    const { canvas } = this;
    let at = null;
    canvas.addEventListener('pointerdown', e => { at = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', () => { at = null; });
    canvas.addEventListener('pointermove', e => {
      if (!at) return;
      this.turn -= (e.clientX - at[0]) * 0.01;
      this.tilt = Math.min(1.5, Math.max(0.05, this.tilt + (e.clientY - at[1]) * 0.01));
      at = [e.clientX, e.clientY];
      this.draw();
    });
    canvas.addEventListener('wheel', e => {
      e.preventDefault();
      this.near = Math.min(4, Math.max(0.25, this.near * Math.exp(0.001 * e.deltaY)));
      this.draw();
    }, { passive: false });
  }

  // poses of what moves, seven numbers each; where the goal has it; whether each button is on
  show({ poses, buttons }, goal) {
    const split = flat => Array.from({ length: flat.length / 7 }, (_, i) => flat.slice(7 * i, 7 * i + 7));
    this.poses = new Map(split(poses).map((pose, i) => [this.moving[i], pose]));
    this.goal = new Map(split(goal).map((pose, i) => [this.ghosts[i], pose]));
    this.buttons = buttons;
    // several decisions may come before the next picture
    this.pending ??= requestAnimationFrame(() => { this.pending = null; this.draw(); });
  }

  draw() {
    const { canvas, gl, scene, poses } = this, ratio = devicePixelRatio || 1;
    if (!gl || !poses || !canvas.clientWidth) return;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map(v => Math.round(v * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(...rgb(css('floor')), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const first = poses.get(this.moving[0]), middle = scene.camera.follows ? first.slice(0, 3) : scene.camera.look_at;
    const distance = this.near * scene.camera.distance;
    gl.uniformMatrix4fv(this.uniform.view, false, look({ middle, distance, turn: this.turn, tilt: this.tilt, aspect: width / height }));
    this.floor(middle, distance);
    const all = new Map([...this.still, ...poses]);
    this.shadows(poses);
    const eye = middle.map((v, k) => v + distance * [Math.cos(this.tilt) * Math.cos(this.turn), Math.cos(this.tilt) * Math.sin(this.turn), Math.sin(this.tilt)][k]);
    for (const [i, pose] of all) if (poses.has(i) || !hides(scene.parts[i], pose, eye, middle, distance / 8)) this.part(i, pose, this.color(i));
    gl.depthMask(false);
    // several objects are told apart by their colours
    const ghost = i => [...rgb(scene.camera.follows ? css('goal') : scene.parts[i].color), 0.4];
    for (const [i, pose] of this.goal) if (this.away(poses.get(i), pose)) this.part(i, pose, ghost(i));
    gl.depthMask(true);
  }

  color(i) {
    const part = this.scene.parts[i];
    return part.button != null && this.buttons[part.button] ? [...pressed, 1] : [...rgb(part.color), part.opacity];
  }

  // a ghost that lies within its part is not worth showing
  away(here, there) { return Math.hypot(...[0, 1, 2].map(k => here[k] - there[k])) > 0.003 * this.scene.camera.distance; }

  part(i, pose, color) {
    const { gl } = this, { array, count } = this.shapes[i];
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(this.uniform.place, false, matrix(pose));
    gl.uniform4fv(this.uniform.color, color);
    gl.drawArrays(gl.TRIANGLES, 0, count);
  }

  // once over each pixel of the floor
  shadows(poses) {
    const { gl } = this;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.uniform1i(this.uniform.shadow, 1);
    gl.uniform1i(this.uniform.plain, 1);
    gl.depthMask(false);
    for (const [i, pose] of poses) this.part(i, pose, [0, 0, 0, 0.16]);
    gl.depthMask(true);
    gl.uniform1i(this.uniform.plain, 0);
    gl.uniform1i(this.uniform.shadow, 0);
    gl.disable(gl.STENCIL_TEST);
  }

  floor([x, y], distance) {
    const { gl } = this, unit = 10 ** Math.round(Math.log10(distance / 5)), reach = 16, lines = [];
    const [fx, fy] = [x, y].map(v => Math.floor(v / unit));
    for (let k = -reach; k <= reach; ++k)
      for (const [a, b] of [[[fx + k, fy - reach], [fx + k, fy + reach]], [[fx - reach, fy + k], [fx + reach, fy + k]]])
        for (const p of [a, b]) lines.push(p[0] * unit, p[1] * unit, 0, 0, 0, 1);
    gl.deleteVertexArray(this.grid?.array);
    this.grid = this.load(new Float32Array(lines));
    gl.uniform1i(this.uniform.shadow, 0);
    gl.uniform1i(this.uniform.plain, 1);
    gl.uniformMatrix4fv(this.uniform.place, false, matrix([0, 0, 0, 1, 0, 0, 0]));
    gl.uniform4fv(this.uniform.color, [...rgb(css('line')), 1]);
    gl.drawArrays(gl.LINES, 0, this.grid.count);
    gl.uniform1i(this.uniform.plain, 0);
  }
}
