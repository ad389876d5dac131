// Speaks with the program: what the run is, one session, and the events of it.
const json = { 'Content-Type': 'application/json' };

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const error = new Error(body.error || `the program answered ${response.status}`);
  error.status = response.status;
  throw error;
}

export const about = async () => answer(await fetch('api/run'));

export async function samples(run) {
  const all = new Float32Array(await (await fetch('api/samples')).arrayBuffer());
  const n = run.states, d = run.dimensions, places = run.places ? 2 * n : 0;
  return {
    n, d,
    psi: all.subarray(0, n * d),
    places: run.places ? all.subarray(n * d, n * d + places) : null,
    labels: run.graph ? all.subarray(n * d + places, n * d + places + n) : null,
  };
}

export const meshes = async () => new Float32Array(await (await fetch('api/meshes')).arrayBuffer());

export const column = async index => new Float32Array(await (await fetch(`api/column?index=${index}`)).arrayBuffer());

// of the way from every state to one of them
export async function value(goal) {
  const response = await fetch(`api/value?goal=${goal}`);
  if (!response.ok) throw new Error(`the program answered ${response.status}`);
  return new Float32Array(await response.arrayBuffer());
}

// in the place of the one before; while another page has the environment, the last one stays
let pictures = 0;
export async function picture(session, id) {
  const before = document.getElementById(id), next = Object.assign(new Image(), { id, alt: before.alt });
  next.src = `api/sessions/${session}/picture?${++pictures}`;
  try { await next.decode(); before.replaceWith(next); } catch { /* not now */ }
}

// a tab keeps its session over a reload
export class Session {
  constructor(on) { this.on = on; }

  async open() {
    const kept = sessionStorage.getItem('alps-session');
    if (kept && (await fetch(`api/sessions/${kept}`)).ok) this.name = kept;
    else this.name = (await answer(await fetch('api/sessions', { method: 'POST', headers: json, body: '{}' }))).session;
    sessionStorage.setItem('alps-session', this.name);
    this.listen();
  }

  listen() {
    this.source?.close();
    const source = this.source = new EventSource(`api/sessions/${this.name}/events`);
    source.addEventListener('state', e => this.on.state(JSON.parse(e.data)));
    source.addEventListener('moment', e => this.on.moment(JSON.parse(e.data)));
    // another tab listens to this session now: this one gets its own
    source.addEventListener('taken', () => { sessionStorage.removeItem('alps-session'); this.open().catch(this.on.lost); });
    source.onopen = () => this.on.found();
    source.onerror = () => {
      this.on.lost(new Error('no connection to the program; it is tried again'));
      if (source.readyState !== EventSource.CLOSED || source !== this.source) return;
      this.source = null;
      setTimeout(() => this.open().catch(this.on.lost), 2000);
    };
  }

  async send(command, body = {}) {
    const state = await answer(await fetch(`api/sessions/${this.name}/${command}`,
      { method: 'POST', headers: json, body: JSON.stringify(body) }));
    // events may have overtaken the answer
    if (state.moment.serial >= this.on.serial()) this.on.state(state);
    return state;
  }
}

// of several calls while one is under way, only the last is made
export function latest(call) {
  let busy = false, next = null;
  return async function run(...args) {
    next = args;
    if (busy) return;
    busy = true;
    try {
      while (next) {
        const now = next;
        next = null;
        await call(...now);
      }
    } finally { busy = false; }
  };
}
