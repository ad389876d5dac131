// Puts the page together: one scene, what the program tells of it, and what the user does to it.
import * as api from './api.js';
import { BodyView } from './body.js';
import { dark, scale } from './color.js';
import { Controls } from './controls.js';
import { MapView } from './map.js';
import { Pointer } from './pointer.js';
import { World } from './world.js';

const notice = document.getElementById('notice');
function tell(text) {
  notice.textContent = text || '';
  notice.hidden = !text;
}

const scene = {
  layers: { distance: true, clusters: false, graph: false, route: true, search: true, traps: false },
  shown: 'all', mode: 'goal', state: null, moment: null, hover: null, crosshair: null,
  reference() { return this.hover ?? this.crosshair ?? this.state?.goal.index ?? 0; },
};

async function start() {
  const run = await api.about(), world = new World(run, await api.samples(run));
  // a run that learned no map has no distances, one that does not plan neither regions nor a search
  for (const layer of Object.keys(scene.layers)) if (!(layer === 'distance' ? run.dimensions || run.value : run.graph)) scene.layers[layer] = false;
  document.title = `${run.data} - alps view`;
  await world.look(run.axes);
  const map = new MapView(document.getElementById('map'), world, scene);
  const close = new MapView(document.getElementById('close'), world,
    Object.create(scene, { layers: { get: () => ({ ...scene.layers, clusters: scene.layers.clusters && !world.mapped }) } }), true);
  map.also = close;
  const wanted = scene.reference.bind(scene);
  scene.reference = () => world.reference(wanted(), () => map.redraw());
  const body = run.scene && new BodyView(document.getElementById('body'), run.scene, await api.meshes());

  const update = () => {
    map.redraw();
    controls.update();
    if (body && scene.moment) body.show(scene.moment.scene, scene.state.goal_poses);
    if (run.world?.pictures) camera();
  };
  const session = new api.Session({
    async state(state) {
      scene.state = state;
      scene.moment = state.moment;
      if (state.settings.axes.join() !== world.axes.join()) { await world.look(state.settings.axes); map.look(); }
      update();
    },
    moment(moment) {
      const { state } = scene;
      if (moment.step !== state.path.length) return session.listen();  // something was missed
      state.path.push(moment.position);
      state.events.push(...moment.events);
      state.playing = moment.playing;
      state.moment = scene.moment = moment;
      state.times.push(moment.ms.total);
      state.distances.push(moment.goal_distance);
      update();
    },
    serial: () => scene.moment?.serial ?? 0,
    found: () => tell(''),
    lost: error => tell(error.message),
  });
  // as it is when the last picture has arrived: a slow camera shows fewer of them
  const camera = api.latest(() => api.picture(session.name, 'camera'));
  const send = async (command, body) => {
    try { await session.send(command, body); tell(''); }
    catch (error) {
      tell(error.message);
      if (error.status === 404) { sessionStorage.removeItem('alps-session'); await session.open(); }
      controls.update();
    }
  };
  const controls = new Controls({ run, scene, map, world, send });
  new Pointer({ scene, map, world, controls, place: api.latest(body => send('place', body)) });
  dark.addEventListener('change', () => { paintScale(); map.redraw(); controls.update(); body?.draw(); });
  paintScale();
  addEventListener('resize', () => { controls.update(); body?.draw(); });
  await session.open();
}

function paintScale() {
  const canvas = document.getElementById('scale'), g = canvas.getContext('2d');
  for (let x = 0; x < canvas.width; ++x) { g.fillStyle = `rgb(${scale(x / (canvas.width - 1)).join()})`; g.fillRect(x, 0, 1, canvas.height); }
}

start().catch(error => tell(error.message));
