"""Play data made natively against OGBench's own scripts in its own environments: the same plans from the same keyframes,
keyframes drawn alike, and data alike in what the hand, the gripper and the objects do."""
import subprocess

import gymnasium
import numpy as np
import pytest
from ogbench.manipspace.oracles.plan.button_plan import ButtonPlanOracle
from ogbench.manipspace.oracles.plan.cube_plan import CubePlanOracle
from ogbench.manipspace.oracles.plan.drawer_plan import DrawerPlanOracle
from ogbench.manipspace.oracles.plan.window_plan import WindowPlanOracle
from scipy import stats

from conftest import BUILD, run_tool
from test_collect import total_variation
from test_reset import columns_agree

ORACLES = dict(cube=CubePlanOracle, button=ButtonPlanOracle, drawer=DrawerPlanOracle, window=WindowPlanOracle)
LENGTH = 1001


def play_env(name):
    return gymnasium.make(name, terminate_at_goal=False, mode='data_collection', max_episode_steps=LENGTH)


def aim_at(inner, kind):
    """draws targets until one is of the kind"""
    while True:
        ob, info = inner.set_new_target(p_stack=0.0)
        if info['privileged/target_task'] == kind:
            return ob, info


def oracle_keyframes(name, kind, count, seed, noise=0.0):
    """(time, place, rotation, grip) of the package's keyframes and the plans that it makes of them"""
    env = play_env(name)
    np.random.seed(seed)
    oracle = ORACLES[kind](env=env, noise=noise, **(dict(gripper_always_closed=True) if 'puzzle' in name else {}))
    keyframes, plans = [], []
    compute_plan = oracle.compute_plan

    def watched(times, poses, grasps):
        keyframes.append(np.array([[t, *p.translation(), *p.rotation().wxyz, g] for t, p, g in zip(times, poses, grasps)]))
        plans.append(compute_plan(times, poses, grasps))
        return plans[-1]

    oracle.compute_plan = watched
    for i in range(count):
        env.reset(seed=seed + i)
        oracle.reset(*aim_at(env.unwrapped, kind))
    env.close()
    return keyframes, plans


SCRIPTS = [('cube-double-v0', 'cube'), ('scene-v0', 'button'), ('scene-v0', 'drawer'), ('scene-v0', 'window'),
           ('puzzle-3x3-v0', 'button')]


@pytest.mark.parametrize('name, kind', SCRIPTS)
def test_same_plans_from_the_same_keyframes(name, kind, tmp_path):
    keyframes, plans = oracle_keyframes(name, kind, 30, 1)
    np.savez(tmp_path / 'in.npz', **{str(i): k for i, k in enumerate(keyframes)})
    run_tool('play_tool', 'plans', len(keyframes), tmp_path / 'in.npz', tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    for i, plan in enumerate(plans):
        assert out[str(i)].shape == plan.shape
        assert np.abs(out[str(i)] - plan).max() < 1e-9, f'plan {i}'


def yaw(q):
    return np.arctan2(2 * (q[..., 0] * q[..., 3] + q[..., 1] * q[..., 2]), 1 - 2 * (q[..., 2] ** 2 + q[..., 3] ** 2))


@pytest.mark.parametrize('name, kind', SCRIPTS)
def test_keyframes_are_drawn_alike(name, kind, tmp_path):
    """Times, places, turns and grips, and how far each keyframe is from the one before."""
    count = 400
    keyframes, _ = oracle_keyframes(name, kind, count, 5)
    package = np.array(keyframes)
    package = np.concatenate([package[:, :, :4], yaw(package[:, :, 4:8])[:, :, None], package[:, :, 8:]], axis=2)
    run_tool('play_tool', 'keyframes', name, kind, count, 2, tmp_path / 'out.npz')
    ours = np.load(tmp_path / 'out.npz')['keyframes'].reshape(package.shape)

    def columns(k):
        # a turn's sign and size do not hang on where the circle is cut
        turns = np.diff(k[:, :, 4], axis=1)
        steps = np.concatenate([np.diff(k[:, :, :4], axis=1), np.cos(turns)[:, :, None], np.sin(turns)[:, :, None]], axis=2)
        absolute = np.concatenate([k[:, :, :4], k[:, :, 5:]], axis=2)
        return np.round(np.concatenate([absolute.reshape(count, -1), steps.reshape(count, -1)], axis=1), 9)

    columns_agree(columns(ours), columns(package), f'{name} {kind}')


def test_noise_is_shared_by_neighbours(tmp_path):
    run_tool('play_tool', 'keyframes', 'cube-single-v0', 'cube', 2000, 3, tmp_path / 'out.npz')
    ours = np.load(tmp_path / 'out.npz')['noise'].reshape(2000, 8, 5)
    from scipy.ndimage import gaussian_filter1d
    rng = np.random.default_rng(0)
    package = np.array([gaussian_filter1d(rng.normal(0, 1, (40, 5)) * [0.05, 0.05, 0.05, 0.3, 1.0] * 0.1, axis=0, sigma=0.5)[:8]
                        for _ in range(2000)])
    columns_agree(ours.reshape(2000, -1), package.reshape(2000, -1), 'noise')
    # what a row shares with the next, and with the one after that
    for lag in (1, 2):
        a, b = ((x[:, lag:] * x[:, :-lag]).mean((0, 1)) / (x ** 2).mean((0, 1)) for x in (ours, package))
        assert np.abs(a - b).max() < 0.05


def package_play(name, episodes, seed):
    """OGBench's procedure for play data, episode by episode: observations, actions, and steps of each script"""
    env = play_env(name)
    inner = env.unwrapped
    options = dict(gripper_always_closed=True) if 'puzzle' in name else {}
    agents = {kind: make(env=env, noise=0.1, noise_smoothing=0.5, **(options if kind == 'button' else {}))
              for kind, make in ORACLES.items()}
    np.random.seed(seed)
    stacking = {'cube-double-v0': (0, 0.25), 'cube-triple-v0': (0.05, 0.35)}.get(name)
    observations, actions = [], []
    for attempt in range(10 * episodes):
        ob, info = env.reset(seed=1000 * seed + attempt)
        p_stack = np.random.uniform(*stacking) if stacking else 0.0
        agent = agents[info['privileged/target_task']]
        agent.reset(ob, info)
        rows, taken, healthy, done = [], [], True, False
        while not done:
            if name == 'scene-v0':
                _, y, z = inner.data.qpos[14:17]
                healthy &= y < 0.29 and (y > -0.3 or 0.06 <= z <= 0.08)
            action = np.clip(agent.select_action(ob, info), -1, 1)
            rows.append(ob)
            taken.append(action)
            ob, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            if agent.done:
                new_ob, new_info = inner.set_new_target(p_stack=p_stack)
                agent = agents[new_info['privileged/target_task']]
                agent.reset(new_ob, new_info)
        if healthy:
            observations.append(rows)
            actions.append(taken)
        if len(observations) == episodes:
            break
    env.close()
    return np.array(observations), np.array(actions)


def native_play(data_name, episodes, seed, folder):
    subprocess.run([BUILD / 'apps/alps', 'data', 'make', data_name, '--episodes', str(episodes), '--seed', str(seed),
                    '--data_dir', folder, '--overwrite'], check=True, capture_output=True)
    data = np.load(folder / f'{data_name}.npz')
    return (data['observations'].reshape(episodes, LENGTH, -1), data['actions'].reshape(episodes, LENGTH, -1))


def features(observations, actions, cubes):
    """name -> histogram over the rows. How a cube is turned is left out: within an episode that hardly mixes (turns())."""
    def histogram(x, low, high, bins=20):
        return np.histogram(np.clip(x, low, high), bins=bins, range=(low, high + 1e-6))[0].astype(float)

    o = observations
    found = {f'hand {axis}': histogram(o[..., 12 + k], *span) for k, (axis, span) in
             enumerate(dict(x=(-2, 2), y=(-3.6, 3.6), z=(0, 3.6)).items())}
    found['gripper'] = histogram(o[..., 17], 0, 3)
    found['contact'] = histogram(o[..., 18], 0, 1)
    found |= {f'action {k}': histogram(actions[..., k], -1, 1) for k in range(5)}
    objects = o[..., 19:]
    speed = np.abs(np.diff(objects, axis=1))
    for k in range(objects.shape[-1]):
        if k >= 9 * cubes or k % 9 < 3:
            found[f'object {k}'] = histogram(objects[..., k], -4, 4, 40)
        found[f'object speed {k}'] = histogram(speed[..., k], 0, 1, 10)
    # how long the hand is shut at a stretch, in rows
    shut = o[..., 17] > 1.0
    edges = [np.diff(np.flatnonzero(np.diff(np.concatenate([[0], e, [0]]).astype(int)))[:])[::2] for e in shut]
    found['stretches shut'] = histogram(np.concatenate(edges), 0, 120, 12)
    return found


def turns(observations):
    """of the first cube, from one rest on the table to the next"""
    found = []
    for o in observations:
        angle, low = np.arctan2(o[:, 27], o[:, 26]), o[:, 21] < 0.3
        stretches = np.split(np.arange(len(o)), np.flatnonzero(np.diff(low.astype(int))) + 1)
        found.append(np.diff([angle[s[len(s) // 2]] for s in stretches if low[s[0]] and len(s) > 15]))
    return np.angle(np.exp(1j * np.concatenate(found)))


def apart(package, native):
    """Of every feature: how far its histogram over some episodes is from that over others. (episodes, bins) each."""
    return np.array([total_variation(sum(package[what]), sum(native[what])) for what in package])


@pytest.mark.parametrize('world, cubes', [('cube-single', 1), ('cube-double', 2), ('scene', 1)])
def test_data_alike(world, cubes, tmp_path):
    """Whole episodes are exchanged between the package's data and ours a thousand times: no feature may tell the two apart
    more than the feature that does so most in nearly all of these mixtures."""
    ours, theirs = 24, 8
    package = package_play(f'{world}-v0', theirs, 3)
    native = native_play(f'{world}-play-v0', ours, 1, tmp_path)
    episodes = [features(o[None], a[None], cubes) for data in (package, native) for o, a in zip(*data)]
    whole = {what: np.array([e[what] for e in episodes]) for what in episodes[0]}

    def apart_by(order):
        return apart(*({what: x[rows] for what, x in whole.items()} for rows in (order[:theirs], order[theirs:])))

    rng = np.random.default_rng(0)
    mixed = np.array([apart_by(rng.permutation(ours + theirs)) for _ in range(1000)])
    usual, deviation = mixed.mean(0), mixed.std(0) + 1e-9
    most = ((mixed - usual) / deviation).max(1)
    observed = (apart_by(np.arange(ours + theirs)) - usual) / deviation
    worst = list(whole)[observed.argmax()]
    assert (most >= observed.max()).mean() > 0.002, (worst, observed.max(), np.quantile(most, [0.5, 0.99]))
    assert stats.ks_2samp(turns(native[0]), turns(package[0])).pvalue > 1e-3


def test_layout_and_determinism(tmp_path):
    name, files = 'scene-play-v0', []
    for threads in ('1', '2'):
        folder = tmp_path / threads
        subprocess.run([BUILD / 'apps/alps', 'data', 'make', name, '--episodes', '12', '--seed', '5', '--threads', threads,
                        '--data_dir', folder], check=True, capture_output=True)
        files.append([(folder / f'{name}{end}').read_bytes() for end in ('.npz', '-val.npz')])
    assert files[0] == files[1]
    data = np.load(tmp_path / '1' / f'{name}.npz')
    rows = 12 * LENGTH
    assert {k: (v.dtype.name, v.shape) for k, v in data.items()} == {
        'observations': ('float32', (rows, 40)), 'actions': ('float32', (rows, 5)), 'terminals': ('bool', (rows,)),
        'qpos': ('float32', (rows, 25)), 'qvel': ('float32', (rows, 24)), 'button_states': ('int64', (rows, 2))}
    assert np.array_equal(np.flatnonzero(data['terminals']), np.arange(LENGTH - 1, rows, LENGTH))
    # the observation tells the same of buttons as their key does
    assert np.array_equal(data['observations'][:, 29] == 1, data['button_states'][:, 0] == 1)
    assert len(np.load(tmp_path / '1' / f'{name}-val.npz')['terminals']) == LENGTH
