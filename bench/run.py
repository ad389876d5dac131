"""Measures speed beside peers in the same run, and prints ratios: ./alps bench [plan] [env] [npz] [make].

Machines are shared and noisy: every pair is measured in turn, several times, and the best of each is compared.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / 'build/release'
os.environ.setdefault('MUJOCO_GL', 'egl')


def native(program, *args):
    done = subprocess.run([BUILD / 'bench' / program, *map(str, args)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def fresh_python(code, *args):
    """Runs a peer in a process of its own; it prints one JSON object."""
    done = subprocess.run([sys.executable, '-c', code, *map(str, args)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


PACKAGE_STEPS = '''
import sys, time, json, gymnasium, ogbench
name, seconds = sys.argv[1], float(sys.argv[2])
env = gymnasium.make(name)
env.action_space.seed(1)
env.reset(seed=1, options=dict(task_id=1))
actions = [env.action_space.sample() for _ in range(1000)]
steps, start = 0, time.perf_counter()
while time.perf_counter() - start < seconds:
    for _ in range(20):
        _, _, terminated, truncated, _ = env.step(actions[steps % 1000])
        steps += 1
        if terminated or truncated:
            env.reset(options=dict(task_id=1 + steps % 5))
print(json.dumps(dict(steps_per_second=steps / (time.perf_counter() - start))))
'''


def bench_env(seconds=2.0, repeats=3):
    print('environment steps per second, uniform random actions (package: ogbench in Python, one core)')
    print(f'{"environment":24}{"package":>10}{"1 core":>12}{"ratio":>8}{"2 cores":>12}{"ratio":>8}')
    rows = []
    for name in ('pointmaze-medium-v0', 'pointmaze-giant-v0', 'antmaze-medium-v0', 'antmaze-giant-v0',
                 'humanoidmaze-medium-v0', 'humanoidmaze-giant-v0'):
        best = dict(package=0.0, one=0.0, two=0.0)
        for _ in range(repeats):
            best['package'] = max(best['package'], fresh_python(PACKAGE_STEPS, name, seconds)['steps_per_second'])
            best['one'] = max(best['one'], native('bench_env', name, seconds, 1)['steps_per_second'])
            best['two'] = max(best['two'], native('bench_env', name, seconds, 2)['steps_per_second'])
        p, one, two = best['package'], best['one'], best['two']
        print(f'{name:24}{p:10,.0f}{one:12,.0f}{one / p:7.2f}x{two:12,.0f}{two / one:7.2f}x', flush=True)
        rows.append((name, p, one, two))
    return rows


NUMPY_LOAD = '''
import sys, time, json, resource, numpy as np
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
with np.load(sys.argv[1]) as f:
    arrays = {k: f[k] for k in f.files}
print(json.dumps(dict(seconds=time.perf_counter() - start)))
'''


def bench_npz(repeats=5):
    """1 M x 29 observations of an ant-like random walk, compressed as OGBench's files are."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    observations = np.cumsum(rng.normal(0, 0.1, (n, 29)), axis=0).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'ant-like.npz'
        start = time.perf_counter()
        np.savez_compressed(path, observations=observations, actions=rng.uniform(-1, 1, (n, 8)).astype(np.float32),
                            terminals=np.arange(n) % 1001 == 1000)
        numpy_write = time.perf_counter() - start
        numpy_read = min(fresh_python(NUMPY_LOAD, path)['seconds'] for _ in range(repeats))
        runs = [native('bench_npz', path) for _ in range(repeats)]
    print('npz, 1 M x 29 float32 observations + 8 actions, deflated:', json.dumps(runs[0]))
    best = {key: min(r[key] for r in runs) for key in runs[0] if isinstance(runs[0][key], (int, float))}
    print(f'  numpy.load {numpy_read:.2f} s, savez_compressed {numpy_write:.2f} s')
    for key, value in best.items():
        if 'seconds' in key:
            peer = numpy_write if 'writ' in key else numpy_read
            print(f'  {key}: {value:.2f} s, {peer / value:.2f}x as fast')
    print(f'  peak memory {best["peak_rss_bytes"] / best["bytes"]:.2f} x the arrays')


PACKAGE_MAKE = '''
import sys, time, json, numpy as np
sys.path.insert(0, sys.argv[1])
import gymnasium, ogbench
from test_collect import package_rows
episodes = int(sys.argv[2])
env = gymnasium.make('pointmaze-medium-v0', terminate_at_goal=False, max_episode_steps=10**9)
start = time.perf_counter()
rows = package_rows(env, 'navigate', episodes, 1001, np.random.default_rng(0))
print(json.dumps(dict(rows=len(rows), seconds=time.perf_counter() - start)))
'''


def bench_make():
    """A full data set natively, against the Python generator on a part of it."""
    peer = fresh_python(PACKAGE_MAKE, ROOT / 'tests/align', 20)
    per_row = peer['seconds'] / peer['rows']
    for threads in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            ours = native('bench_env', '--make', 'pointmaze-medium-navigate-v0', threads, folder)
        print(f'pointmaze-medium-navigate-v0, {ours["rows"]:,} rows, {threads} thread(s): {ours["seconds"]:.2f} s with writing; '
              f'Python generator {per_row * ours["rows"]:.0f} s (from {peer["rows"]:,} rows, without writing), '
              f'{per_row * ours["rows"] / ours["seconds"]:.0f}x')


def peers():
    """the environment of the peers: our own Python with JAX from build/peers"""
    folder = ROOT / 'build/peers'
    wanted = (ROOT / 'bench/peers/requirements.txt').read_text()
    stamp = folder / 'installed'
    if not stamp.exists() or stamp.read_text() != wanted:
        print('installing peers into build/peers', flush=True)
        subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', '--upgrade', '--target', folder, '-r',
                        ROOT / 'bench/peers/requirements.txt'], check=True)
        stamp.write_text(wanted)
    return {**os.environ, 'PYTHONPATH': str(folder)}


def peer(script, *args):
    done = subprocess.run([sys.executable, ROOT / 'bench/peers' / script, *map(str, args)], check=True, capture_output=True,
                          text=True, env=peers())
    return json.loads(done.stdout.splitlines()[-1])


def bench_plan(threads=None, rounds=3, decisions=3):
    """One decision at the paper's settings and the ant's sizes (70 GFLOP), in turns with the peers."""
    threads = threads or os.cpu_count()
    setting = (500, 20, 5, threads, decisions)
    candidates = {
        'alps': lambda: native('bench_plan', *setting),
        'PyTorch eager': lambda: peer('plan_torch.py', 'eager', *setting),
        'torch.compile': lambda: peer('plan_torch.py', 'compile', *setting),
        'PyTorch bf16': lambda: peer('plan_torch.py', 'bf16', *setting),
        'JAX jit': lambda: peer('plan_jax.py', *setting),
    }
    best, gemm, gflop = {}, 0.0, 0.0
    for _ in range(rounds):
        for name, run in candidates.items():
            result = run()
            best[name] = min(best.get(name, 1e9), result['least_ms'])
            gflop = result.get('gflop', gflop)
            if name == 'PyTorch eager':
                gemm = max(gemm, result['gemm_gflops'])
    ours = best['alps']
    print(f'one decision: 500 samples x 20 steps x 5 iterations, {gflop:.1f} GFLOP, {threads} thread(s), fp32')
    print(f"machine's large fp32 matrix product (torch): {gemm:.0f} GFLOP/s; alps over the whole decision: "
          f'{gflop / ours * 1e3:.0f} GFLOP/s, {gflop / ours * 1e3 / gemm:.2f} of it')
    for name, ms in best.items():
        print(f'{name:16}{ms:10.0f} ms{1e3 / ms:8.2f} decisions/s' + ('' if name == 'alps' else f'   alps is {ms / ours:.2f}x as fast'))
    print(json.dumps(dict(best_ms=best, gemm_gflops=gemm, gflop=gflop, threads=threads)))


BENCHES = dict(plan=bench_plan, env=bench_env, npz=bench_npz, make=bench_make)


def main():
    parser = argparse.ArgumentParser(prog='alps bench', description=__doc__)
    parser.add_argument('names', nargs='*', metavar='NAME', help=f'which to run: {", ".join(BENCHES)} (default: all)')
    names = parser.parse_args().names or list(BENCHES)
    for name in names:
        if name not in BENCHES:
            parser.error(f"no benchmark '{name}'; there are {', '.join(BENCHES)}")
        BENCHES[name]()


if __name__ == '__main__':
    main()
