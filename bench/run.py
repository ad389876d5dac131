"""Measures speed beside peers in the same run, and prints ratios: ./alps bench [plan] [deadline] [train] [growth] [shares] [env] [render] [npz] [make] [ledger].

Machines are shared and noisy: every pair is measured in turn, several times, and the best of each is compared.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

from chart import chart

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
                 'humanoidmaze-medium-v0', 'humanoidmaze-giant-v0', 'cube-single-v0', 'cube-quadruple-v0', 'scene-v0',
                 'puzzle-4x4-v0'):
        best = dict(package=0.0, one=0.0, two=0.0)
        for _ in range(repeats):
            best['package'] = max(best['package'], fresh_python(PACKAGE_STEPS, name, seconds)['steps_per_second'])
            best['one'] = max(best['one'], native('bench_env', name, seconds, 1)['steps_per_second'])
            best['two'] = max(best['two'], native('bench_env', name, seconds, 2)['steps_per_second'])
        p, one, two = best['package'], best['one'], best['two']
        print(f'{name:24}{p:10,.0f}{one:12,.0f}{one / p:7.2f}x{two:12,.0f}{two / one:7.2f}x', flush=True)
        rows.append((name, p, one, two))
    return rows


PACKAGE_FRAMES = '''
import sys, time, json, gymnasium, ogbench
name, seconds = sys.argv[1], float(sys.argv[2])
env = gymnasium.make(name)
env.reset(seed=1, options=dict(task_id=1))
frames, start, busy = 0, time.perf_counter(), time.process_time()
while time.perf_counter() - start < seconds:
    env.unwrapped.render()
    frames += 1
print(json.dumps(dict(frames_per_second=frames / (time.perf_counter() - start),
                      by_processor_time=frames / (time.process_time() - busy))))
'''


def bench_render(seconds=2.0, repeats=3):
    print('frames of 64 x 64 pixels per second on one core, and per second of its time where others share it '
          f'(package: ogbench, MuJoCo with OpenGL by {os.environ["MUJOCO_GL"]}; tests/align says how close frames are)')
    print(f'{"environment":28}{"package":>10}{"alps":>10}{"ratio":>8}{"package":>14}{"alps":>10}{"ratio":>8}')
    # Mesa draws with as many threads as there are cores: one for both
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    for maze in ('medium', 'large', 'giant', 'teleport'):
        name, keys = f'visual-antmaze-{maze}-v0', ('frames_per_second', 'by_processor_time')
        package, ours = {key: 0.0 for key in keys}, {key: 0.0 for key in keys}
        for _ in range(repeats):
            found = fresh_python(PACKAGE_FRAMES, name, seconds), native('bench_env', '--frames', name, seconds)
            for best, now in zip((package, ours), found):
                best.update({key: max(best[key], now[key]) for key in keys})
        (p, pt), (a, at) = ([best[key] for key in keys] for best in (package, ours))
        print(f'{name:28}{p:10,.1f}{a:10,.0f}{a / p:7.0f}x{pt:14,.1f}{at:10,.0f}{at / pt:7.0f}x', flush=True)
    os.sched_setaffinity(0, cores)


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


PEER_SECONDS = 90  # a peer that has not answered by then is left out, and the table says so


def peer(script, *args):
    done = subprocess.run([sys.executable, ROOT / 'bench/peers' / script, *map(str, args)], check=True, capture_output=True,
                          text=True, env=peers(), timeout=PEER_SECONDS)
    return json.loads(done.stdout.splitlines()[-1])


def has_bf16():
    return 'avx512_bf16' in pathlib.Path('/proc/cpuinfo').read_text()


FAST = (32, 10, 2)  # the defaults of PlannerSettings


def bench_plan(threads=None, rounds=3, decisions=3):
    """One decision at the paper's settings and the ant's sizes (70 GFLOP), in turns with the peers."""
    threads = threads or os.cpu_count()
    setting, bf16 = (500, 20, 5, threads, decisions), has_bf16()
    precision = 'bf16' if bf16 else 'fp32'
    candidates = {
        'alps': lambda: native('bench_plan', *setting),
        'alps fp32': lambda: native('bench_plan', *setting, 32, 0, 0, 'fp32'),
        'PyTorch eager': lambda: peer('plan_torch.py', 'eager', *setting),
        'torch.compile': lambda: peer('plan_torch.py', 'compile', *setting),
        'JAX jit': lambda: peer('plan_jax.py', *setting),
        'LibTorch': lambda: native('bench_plan_libtorch', 'fp32', *setting),
        'LibTorch bf16': lambda: native('bench_plan_libtorch', 'bf16', *setting),
        'PyTorch bf16': lambda: peer('plan_torch.py', 'bf16', *setting),
    }
    if not bf16:
        for name in ('LibTorch bf16', 'PyTorch bf16', 'alps fp32'):
            del candidates[name]
        print('bf16: left out, this processor has no instructions for it and torch would take minutes')
    best, gemm, gflop = {}, {}, 0.0
    for _ in range(rounds):
        for name, run in list(candidates.items()):
            try:
                result = run()
            except subprocess.TimeoutExpired:
                print(f'{name}: nothing within {PEER_SECONDS} s')
                del candidates[name]
                continue
            best[name] = min(best.get(name, 1e9), result['least_ms'])
            gflop = result.get('gflop', gflop)
            if 'gemm_gflops' in result:
                own = 'bf16' if 'bf16' in name else 'fp32'
                gemm[own] = max(gemm.get(own, 0), result['gemm_gflops'])
    ours = best['alps']
    print(f'one decision: 500 samples x 20 steps x 5 iterations, {gflop:.1f} GFLOP, {threads} thread(s), alps in {precision}')
    for name, rate in gemm.items():
        own = best['alps' if name == precision else 'alps fp32']
        print(f"machine's large {name} matrix product (torch): {rate:.0f} GFLOP/s; alps in {name} over the whole decision: "
              f'{gflop / own * 1e3:.0f} GFLOP/s, {gflop / own * 1e3 / rate:.2f} of it')
    for name, ms in best.items():
        print(f'{name:16}{ms:10.0f} ms{1e3 / ms:8.2f} decisions/s' + ('' if name == 'alps' else f'   alps is {ms / ours:.2f}x as fast'))
    fast = native('bench_plan', *FAST, threads, 100)
    print(f'the fast planner, {FAST[0]} samples x {FAST[1]} steps x {FAST[2]} iterations: p50 {fast["p50_ms"]:.1f} ms, p99 {fast["p99_ms"]:.1f} ms, '
          f'{1e3 / fast["p50_ms"]:.1f} decisions/s')
    print(json.dumps(dict(best_ms=best, gemm_gflops=gemm, gflop=gflop, threads=threads, fast=fast)))


def made_up(path, rows=1_000_000, state=29, action=8):
    """episodes of a random walk, as large as a data set of the ant"""
    rng, length = np.random.default_rng(0), 1000
    episodes = rows // length
    walk = rng.standard_normal((episodes, length, state), dtype=np.float32).cumsum(1) / 30
    np.savez(path, observations=walk.reshape(-1, state), actions=rng.uniform(-1, 1, (rows, action)).astype(np.float32),
             terminals=np.arange(rows) % length == length - 1)


def train_times(data, folder, threads, steps, settings, precision):
    """milliseconds a step of each part by alps, the share of sampling, and the resolved settings"""
    sets = {**{f'{part}_steps': n for part, n in steps.items()}, 'log_every': 2, 'validate_every': 10**6, 'rayleigh_ritz': 'off', **settings}
    subprocess.run([BUILD / 'apps/alps', 'train', data, '--out', folder, '--threads', str(threads), '--precision', precision,
                    *(x for key, value in sets.items() for x in ('--set', f'{key}={value}'))], check=True, capture_output=True)
    times, share = {}, {}
    for row in csv.DictReader(open(folder / 'train.csv')):
        times.setdefault(row['part'], []).append(1e3 * float(row['time/step_time']))
        share[row['part']] = float(row['time/sampling_share'])
    config = json.loads((folder / 'config.json').read_text())['train']
    return {part: float(np.median(t[1:] or t)) for part, t in times.items()}, share, config


def bench_train(threads=None, rounds=2):
    """A step of each part at the paper's sizes (batch 1024, H_f 10, model and prior 4 x 512) on 1 M made-up rows of 29/8 columns."""
    threads, precisions = threads or os.cpu_count(), ['bf16', 'fp32'] if has_bf16() else ['fp32']
    steps = dict(representation=150, model=30, prior=150)
    settings = dict(representation_batch=1024, model_batch=1024, prior_batch=1024, model_width=512, prior_width=512)
    best, share = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made_up(folder / 'made_up.npz')
        for r in range(rounds):
            times = {}
            for precision in precisions:
                # with two constraint batches, as published, and with one
                for label, only, sets in ((f'alps {precision}', steps, dict(constraint_batches=2)),
                                          (f'alps {precision}, 3 batches', dict(representation=150, model=1, prior=1), dict(constraint_batches=1))):
                    ours, shares, config = train_times(folder / 'made_up.npz', folder / f'run{r}{label}', threads, only, {**settings, **sets}, precision)
                    times[label] = ours if only is steps else dict(representation=ours['representation'])
                    share = {**shares, **share}
            arguments = (folder / 'made_up.npz', json.dumps(config), json.dumps(steps), threads)
            times |= {'PyTorch eager': peer('train_torch.py', *arguments), 'JAX jit': peer('train_jax.py', *arguments)}
            for who, parts in times.items():
                for part, ms in parts.items():
                    best[who, part] = min(best.get((who, part), 1e9), ms)
    print(f'milliseconds a training step, {threads} thread(s), batch 1024; PyTorch eager and JAX jit in fp32, four batches for ALLO')
    print(f'{"part":16}{"alps":24}{"ms":>8}{"PyTorch eager":>16}{"ratio":>8}{"JAX jit":>10}{"ratio":>8}{"sampling":>10}')
    for (who, part), a in best.items():
        if who.startswith('alps'):
            t, j = best['PyTorch eager', part], best['JAX jit', part]
            print(f'{part:16}{who.removeprefix("alps "):24}{a:8.1f}{t:16.1f}{t / a:7.2f}x{j:10.1f}{j / a:7.2f}x{100 * share[part]:9.1f}%')
    print(json.dumps({f'{who}, {part}': ms for (who, part), ms in best.items()}))


def bench_deadline(decisions=100):
    """--budget_ms at the ant's sizes: how long decisions really take"""
    for budget in (20, 50, 100):
        r = native('bench_plan', 500, 20, 5, os.cpu_count(), decisions, 32, 0, budget)
        print(f'budget {budget:4} ms: p50 {r["p50_ms"]:.1f}, p99 {r["p99_ms"]:.1f} ms ({r["p99_ms"] / budget:.2f} of the budget)', flush=True)


def growth(label, values, times, unit):
    """a row per value, and the exponent of the last doubling or so"""
    slope = np.polyfit(np.log(values[-3:]), np.log(times[-3:]), 1)[0]
    print(f'{label}: ' + ', '.join(f'{v:,} {t:.3g} {unit}' for v, t in zip(values, times)) + f'; exponent {slope:.2f} at the end', flush=True)
    return dict(values=values, times=times, exponent=slope)


def bench_growth():
    """How a decision and training grow, at the ant's sizes; a decision of 100 samples x 10 steps x 1 iteration unless it is samples that grow"""
    threads, found = os.cpu_count(), {}

    def decision(samples=100, eigenvectors=32, clusters=64):
        return min((native('bench_plan', samples, 10, 1, threads, 5, eigenvectors, clusters) for _ in range(2)), key=lambda r: r['least_ms'])

    for name, values in (('clusters', [64, 256, 1024, 4096]), ('eigenvectors', [8, 32, 64, 128]), ('samples', [100, 300, 1000, 3000, 10000])):
        results = [decision(**{name: v}) for v in values]
        found[f'decision, {name}'] = growth(f'a decision, {name}', values, [r['least_ms'] for r in results], 'ms')
        found[f'decision memory, {name}'] = growth(f'its memory, {name}', values, [r['rss_mb'] for r in results], 'MB')
    with tempfile.TemporaryDirectory() as name:
        folder, rows = pathlib.Path(name), [1_000_000, 3_000_000, 10_000_000]
        seconds, memory, step = [], [], []
        for n in rows:
            made_up(folder / 'data.npz', n, 2, 2)
            run = folder / f'run{n}'
            before = time.perf_counter()
            sets = [x for part in ('representation', 'model', 'prior') for x in ('--set', f'{part}_steps=20')]
            done = subprocess.run(['/usr/bin/env', 'python3', '-c', 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL, '
                                   'stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)', BUILD / 'apps/alps', 'train',
                                   folder / 'data.npz', '--out', run, *sets, '--set', 'log_every=10'], check=True, capture_output=True, text=True)
            seconds.append(time.perf_counter() - before)
            memory.append(int(done.stdout) / 1024)
            step.append(min(1e3 * float(r['time/step_time']) for r in csv.DictReader(open(run / 'train.csv')) if r['part'] == 'representation'))
        found['training outside the steps, rows'] = growth('reading, Rayleigh-Ritz and regions, rows of 2 + 2 columns', rows, seconds, 's')
        found['training memory, rows'] = growth('its memory, rows', rows, memory, 'MB')
        found['training step, rows'] = growth('a step of the representation, rows', rows, step, 'ms')
    print(json.dumps(found))
    growth_picture(found, BUILD / 'growth.svg')


def growth_picture(found, path):
    """times as multiples of the first, against sizes as multiples of the first"""
    chart(path, 'Growth of time', 'size, as a multiple of the first', 'time, as a multiple of the first',
          {f"{name}: {f['values'][0]:,} to {f['values'][-1]:,}, exponent {f['exponent']:.2f}":
           [(v / f['values'][0], t / f['times'][0], '') for v, t in zip(f['values'], f['times'])]
           for name, f in found.items() if 'memory' not in name}, log_y=True)
    print(f'picture: {path}')


def bench_shares(name='pointmaze-medium-navigate-v0', episodes=5):
    """Where the time goes from a data set to an evaluated run: fast training, regions, 5 x 5 episodes."""
    data = pathlib.Path.home() / '.ogbench/data' / f'{name}.npz'
    subprocess.run([BUILD / 'apps/alps', 'data', 'make', name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / 'run'
        start = time.perf_counter()
        subprocess.run([BUILD / 'apps/alps', 'train', name, '--out', run], check=True, capture_output=True)
        total, parts, before = time.perf_counter() - start, {}, 0.0
        for row in csv.DictReader(open(run / 'train.csv')):
            parts[row['part']] = float(row['time/total_time'])
        for part, until in parts.items():
            parts[part], before = until - before, until
        around = native('bench_shares', data, run, name.replace('-navigate', ''), episodes)
    one, all_ = around['1'], around[list(around)[-1]]
    del one['steps'], all_['steps']
    whole = total + all_['planning'] + all_['environment']
    print(f'{name}, from the data set to {5 * episodes} evaluated episodes: {whole:.0f} s on {os.cpu_count()} cores')
    print(f'{"stage":16}{"seconds":>10}{"share":>8}{"1 thread":>10}{"gain":>8}')
    for stage, seconds in {**parts, **all_}.items():
        alone = f'{one[stage]:10.2f}{one[stage] / seconds:7.2f}x' if stage in one else ''
        print(f'{stage:16}{seconds:10.2f}{100 * seconds / whole:7.1f}%{alone}')
    print(json.dumps(dict(training=parts, around=around, total=whole)))


def machine():
    """what the figures were measured on"""
    cpu = next((line.split(':')[1].strip() for line in open('/proc/cpuinfo') if line.startswith('model name')), 'unknown')
    flags = next((line for line in open('/proc/cpuinfo') if line.startswith('flags')), '')
    width = 'AVX-512' if 'avx512f' in flags else 'AVX2' if 'avx2' in flags else 'no AVX2'
    version = subprocess.run([BUILD / 'apps/alps', '--version'], capture_output=True, text=True).stdout.strip()
    return f'{cpu}, {os.cpu_count()} cores, {width}, load {os.getloadavg()[0]:.1f}; {version}; Python {sys.version.split()[0]}, numpy {np.__version__}'


def bench_ledger(count=10_000, repeats=3):
    """alps table over many results: one real result, 50 episodes of a small run, copied under other names and seeds."""
    alps, name = BUILD / 'apps/alps', 'pointmaze-medium-navigate-v0'
    quiet = dict(check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        data, run, ledger = pathlib.Path(folder), pathlib.Path(folder) / 'run', pathlib.Path(folder) / 'ledger'
        steps = [x for part in ('representation', 'model', 'prior') for x in ('--set', f'{part}_steps=100')]
        subprocess.run([alps, 'data', 'make', name, '--data_dir', data, '--episodes', '100'], **quiet)
        subprocess.run([alps, 'train', name, '--data_dir', data, '--out', run, *steps], **quiet)
        subprocess.run([alps, 'eval', run, '--variant', 'prior', '--episodes', '10', '--ledger', ledger], **quiet)
        first, = ledger.glob('*.json')
        text = first.read_text()
        for i in range(1, count):
            copy = text.replace(first.stem, f'{i:016x}').replace('"train_seed": 0', f'"train_seed": {i % 100}')
            (ledger / f'{i:016x}.json').write_text(copy.replace(name, f'made-up-{i // 100}-v0'))
        json_seconds, table_seconds, cpu_seconds = [], [], []
        for _ in range(repeats):
            start = time.perf_counter()
            for path in ledger.iterdir():
                json.loads(path.read_text())
            json_seconds.append(time.perf_counter() - start)
            start, before = time.perf_counter(), os.times()
            subprocess.run([alps, 'table', ledger], **quiet)
            after = os.times()
            cpu_seconds.append(after.children_user + after.children_system - before.children_user - before.children_system)
            table_seconds.append(time.perf_counter() - start)
    print(f'{count:,} results of {len(text):,} bytes: alps table {min(table_seconds):.2f} s ({min(cpu_seconds):.2f} s of processors), '
          f'Python\'s json alone {min(json_seconds):.2f} s ({min(json_seconds) / min(table_seconds):.1f}x)')


BENCHES = dict(plan=bench_plan, deadline=bench_deadline, train=bench_train, growth=bench_growth, shares=bench_shares, env=bench_env,
               render=bench_render, npz=bench_npz, make=bench_make, ledger=bench_ledger)


def main():
    parser = argparse.ArgumentParser(prog='alps bench', description=__doc__)
    parser.add_argument('names', nargs='*', metavar='NAME', help=f'which to run: {", ".join(BENCHES)} (default: all)')
    names = parser.parse_args().names or list(BENCHES)
    print(machine(), flush=True)
    for name in names:
        if name not in BENCHES:
            parser.error(f"no benchmark '{name}'; there are {', '.join(BENCHES)}")
        BENCHES[name]()


if __name__ == '__main__':
    main()
