"""The program as a user meets it: help, exit codes, error messages, and the data verbs."""
import http.server
import os
import pathlib
import shlex
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = pathlib.Path(os.environ.get('ALPS_BUILD', ROOT / 'build/release')) / 'apps/alps'


def alps(*args, **kwargs):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300, **kwargs)


def expect_error(done, code, *words):
    assert done.returncode == code, done.stderr
    lines = done.stderr.strip().splitlines()
    assert lines[0].startswith('alps: error: ') and len(lines) <= 4, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


@pytest.mark.parametrize('verb', [[], ['demo'], ['data'], ['data', 'list'], ['data', 'make'], ['data', 'info'],
                                  ['data', 'get'], ['data', 'import'], ['check'], ['env'], ['env', 'list'],
                                  ['expert', 'train'], ['expert', 'measure'], ['train'], ['eval'], ['plan'], ['plot'], ['embed']])
def test_help(verb):
    done = alps(*verb, '--help')
    assert done.returncode == 0 and 'Usage' in done.stdout, done.stderr


def test_images_of_an_ant(tmp_path):
    """A data set of frames: what it takes is told before, and NumPy reads it."""
    name = 'visual-antmaze-giant-stitch-v0'
    done = alps('data', 'make', name, '--episodes', 2, '--data_dir', tmp_path)
    assert done.returncode == 0, done.stderr
    assert f'{name} takes about ' in done.stderr and ' are free, and about 0:' in done.stderr
    with np.load(tmp_path / f'{name}.npz') as file:
        assert file.files == ['observations', 'actions', 'terminals', 'qpos', 'qvel']
        frames = file['observations']
        assert frames.shape == (402, 64, 64, 3) and frames.dtype == np.uint8 and file['qpos'].shape == (402, 15)
    assert (frames[0] != frames[1]).any() and frames.std() > 20
    told = alps('data', 'info', tmp_path / f'{name}.npz')
    assert told.returncode == 0 and '(402, 64, 64, 3)' in told.stdout, told.stdout + told.stderr


def test_wrong_use():
    expect_error(alps(), 2)
    expect_error(alps('fly'), 2)
    expect_error(alps('data', 'make'), 2)
    expect_error(alps('data', 'make', 'pointmaze-medum-navigate-v0'), 2, "did you mean 'pointmaze-medium-navigate-v0'?")
    expect_error(alps('data', 'make', 'pointmaze-medium-navigate-v0', '--episodes', '-3'), 2, '--episodes')
    expect_error(alps('data', 'make', 'humanoidmaze-medium-navigate-v0', '--data_dir', '/tmp', '--expert', '/nowhere'), 1, '/nowhere')


def test_another_mujoco_is_refused(tmp_path):
    (tmp_path / 'other.c').write_text('int mj_version(void) { return 3009000; }')
    subprocess.run(['g++', '-x', 'c', '-shared', '-fPIC', '-o', tmp_path / 'other.so', tmp_path / 'other.c'], check=True)
    done = alps('env', 'list', env=dict(os.environ, LD_PRELOAD=str(tmp_path / 'other.so')))
    expect_error(done, 1, '3009000', '4000000', './alps clean')
    assert 'MuJoCo 4.0.0' in alps('--version').stdout


def test_lists(tmp_path):
    envs = alps('env', 'list').stdout
    for name in ('pointmaze-giant-v0', 'antmaze-teleport-v0', 'humanoidmaze-giant-v0', 'maze2d-spiral-v0', 'scene-v0'):
        assert name in envs
    sets = alps('data', 'list', '--data_dir', tmp_path).stdout.splitlines()
    assert len(sets) == 1 + 49
    assert any(line.split()[:4] == ['pointmaze-giant-navigate-v0', '1,000,500', '500', '2,000'] for line in sets)


def test_make_info_plot(tmp_path):
    name = 'pointmaze-large-stitch-v0'
    made = alps('data', 'make', name, '--episodes', 20, '--data_dir', tmp_path)
    assert made.returncode == 0, made.stderr
    before = (tmp_path / f'{name}.npz').stat()
    again = alps('data', 'make', name, '--episodes', 20, '--data_dir', tmp_path)
    assert 'there already' in again.stdout and (tmp_path / f'{name}.npz').stat().st_mtime_ns == before.st_mtime_ns
    assert name in [line.split()[0] for line in alps('data', 'list', '--data_dir', tmp_path).stdout.splitlines() if ' MB' in line]

    for picture in ('maze.png', 'maze.svg'):
        info = alps('data', 'info', name, '--data_dir', tmp_path, '--plot', tmp_path / picture)
        assert info.returncode == 0, info.stderr
        assert '(4020, 2)' in info.stdout and '20 episodes of 201 to 201 rows' in info.stdout
    assert (tmp_path / 'maze.png').read_bytes()[:4] == b'\x89PNG'
    assert b'</svg>' in (tmp_path / 'maze.svg').read_bytes()
    expect_error(alps('data', 'info', name, '--data_dir', tmp_path, '--plot', tmp_path / 'maze.gif'), 2, 'png')


def test_info_on_a_users_own_file(tmp_path):
    rng = np.random.default_rng(0)
    np.savez_compressed(tmp_path / 'mine.npz', observations=rng.normal(size=(50, 4)), actions=rng.normal(size=(50, 1)) * 3,
                        terminals=np.arange(50) % 10 == 9)
    info = alps('data', 'info', tmp_path / 'mine.npz', '--plot', tmp_path / 'mine.png')
    assert info.returncode == 0, info.stderr
    assert '5 episodes of 10 to 10 rows, 45 transitions' in info.stdout
    assert "warning" in info.stderr and "'actions' leaves [-1, 1]" in info.stderr
    assert (tmp_path / 'mine.png').exists()


def test_info_on_bad_files(tmp_path):
    expect_error(alps('data', 'info', tmp_path / 'none.npz'), 1, 'none.npz', 'alps data make none')
    (tmp_path / 'text.npz').write_text('not a zip')
    expect_error(alps('data', 'info', tmp_path / 'text.npz'), 1, 'text.npz')
    observations = np.zeros((10, 2), np.float32)
    observations[6, 1] = np.nan
    np.savez(tmp_path / 'nan.npz', observations=observations, actions=np.zeros((10, 1), np.float32), terminals=np.arange(10) == 9)
    expect_error(alps('data', 'info', tmp_path / 'nan.npz'), 1, "'observations' is NaN or Inf in row 6, column 1")
    np.savez(tmp_path / 'object.npz', observations=np.array([None, 1]), actions=np.zeros(2), terminals=np.zeros(2))
    expect_error(alps('data', 'info', tmp_path / 'object.npz'), 1, 'object.npz', 'observations')


def test_unwritable_folder(tmp_path):
    (tmp_path / 'file').write_text('')
    expect_error(alps('data', 'make', 'pointmaze-medium-stitch-v0', '--episodes', 2, '--data_dir', tmp_path / 'file'), 1, 'file')


def test_killed_and_interrupted_work_goes_on(tmp_path):
    """to the same bytes as work that was left alone; another process at the same time is refused"""
    name = 'antmaze-medium-stitch-v0'
    args = ['data', 'make', name, '--episodes', '100', '--threads', '1', '--data_dir']
    pieces = tmp_path / 'x' / f'{name}.npz.making'
    for number, stop in enumerate((signal.SIGKILL, signal.SIGINT)):
        work = subprocess.Popen([ALPS, *args, tmp_path / 'x'], stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 120
        while len(list(pieces.glob('*.npz'))) <= number and time.time() < deadline:
            time.sleep(0.02)
        expect_error(alps(*args, tmp_path / 'x'), 1, 'another process')
        work.send_signal(stop)
        assert work.wait(timeout=20) == (130 if stop == signal.SIGINT else -stop)
        assert stop == signal.SIGKILL or 'goes on' in work.stderr.read()
        assert sorted(p.name for p in (tmp_path / 'x').glob('*.npz')) == []
    assert len(list(pieces.glob('*.npz'))) >= 2
    assert alps(*args, tmp_path / 'x').returncode == 0 and not pieces.exists()
    assert alps(*args, tmp_path / 'whole').returncode == 0
    for file in (f'{name}.npz', f'{name}-val.npz'):
        assert (tmp_path / 'x' / file).read_bytes() == (tmp_path / 'whole' / file).read_bytes()
    assert len(list((tmp_path / 'x').iterdir())) == 2


def test_parts_at_once_and_killed_join_to_the_same_bytes(tmp_path):
    """three processes share a data set out; one of them is killed and started again"""
    name = 'antmaze-medium-stitch-v0'
    args = ['data', 'make', name, '--episodes', '150', '--threads', '1', '--data_dir']
    shared = tmp_path / 'shared'
    pieces = shared / f'{name}.npz.making'
    parts = [subprocess.Popen([ALPS, *args, shared, '--part', f'{i}/3'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for i in (1, 2, 3)]
    deadline = time.time() + 120
    while not list(pieces.glob('*.npz')) and time.time() < deadline:
        time.sleep(0.02)
    parts[1].kill()
    assert parts[1].wait() == -signal.SIGKILL
    for part in (parts[0], parts[2]):
        out, err = part.communicate(timeout=300)
        assert part.returncode == 0 and 'without --part joins them' in out, err
    before = len(list(pieces.glob('*.npz')))
    again = alps(*args, shared, '--part', '2/3')
    assert again.returncode == 0 and 'part 2 of 3 is ready' in again.stdout
    assert len(list(pieces.glob('*.npz'))) > before and not (shared / f'{name}.npz').exists()
    joined = alps(*args, shared)
    assert joined.returncode == 0 and not pieces.exists(), joined.stderr
    assert alps(*args, tmp_path / 'whole').returncode == 0
    for file in (f'{name}.npz', f'{name}-val.npz'):
        assert (shared / file).read_bytes() == (tmp_path / 'whole' / file).read_bytes()
    assert len(list(shared.iterdir())) == 2
    late = alps(*args, shared, '--part', '2/3')
    assert late.returncode == 0 and 'is there already' in late.stdout


def test_a_wrong_part_is_refused(tmp_path):
    args = ['data', 'make', 'pointmaze-medium-stitch-v0', '--data_dir', tmp_path / 'x', '--part']
    for bad in ('0/3', '4/3', '3', 'a/b'):
        expect_error(alps(*args, bad), 2, f"'{bad}'", 'I/N', '2/8')
    expect_error(alps(*args, '1/3', '--overwrite'), 2, '--overwrite')
    assert not (tmp_path / 'x').exists()
    walk = alps('data', 'make', 'maze2d-rooms-random-v0', '--data_dir', tmp_path, '--part', '1/3')
    assert walk.returncode == 0 and 'cannot be shared out' in walk.stdout and list(tmp_path.iterdir()) == []


class Server(http.server.ThreadingHTTPServer):
    """Serves one folder; `cut` makes the first full answer break off in the middle."""

    def __init__(self, folder, cut=False):
        self.folder, self.cut, self.ranges = folder, cut, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                path = folder / handler.path.lstrip('/')
                if not path.exists():
                    return handler.send_error(404)
                body, first = path.read_bytes(), 0
                wanted = handler.headers.get('Range')
                self.ranges.append(wanted)
                if wanted:
                    first = int(wanted.removeprefix('bytes=').rstrip('-'))
                    handler.send_response(206)
                    handler.send_header('Content-Range', f'bytes {first}-{len(body) - 1}/{len(body)}')
                else:
                    handler.send_response(200)
                handler.send_header('Content-Length', str(len(body) - first))
                handler.send_header('ETag', '"v1"')
                handler.send_header('Accept-Ranges', 'bytes')
                handler.end_headers()
                end = len(body)
                if self.cut and not wanted and len(body) > 1000:
                    self.cut, end = False, len(body) // 2
                handler.wfile.write(body[first:end])
                if end < len(body):
                    handler.connection.close()

            def log_message(handler, *args):
                pass

        super().__init__(('127.0.0.1', 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f'http://127.0.0.1:{self.server_port}'


@pytest.fixture
def served(tmp_path):
    name = 'pointmaze-medium-stitch-v0'
    assert alps('data', 'make', name, '--episodes', 20, '--data_dir', tmp_path / 'there').returncode == 0
    return name, tmp_path / 'there', tmp_path / 'here'


def test_get_resumes_and_is_usable(served):
    name, there, here = served
    server = Server(there, cut=True)
    done = alps('data', 'get', name, '--from', server.url, '--data_dir', here)
    if done.returncode != 0:  # a broken connection may end the first call; the next one goes on where it stopped
        done = alps('data', 'get', name, '--from', server.url, '--data_dir', here)
    assert done.returncode == 0, done.stderr
    assert any(r for r in server.ranges), 'the second half should have been asked for with a Range'
    for end in ('.npz', '-val.npz'):
        assert (here / f'{name}{end}').read_bytes() == (there / f'{name}{end}').read_bytes()
    assert sorted(p.name for p in here.iterdir()) == [f'{name}-val.npz', f'{name}.npz']
    assert 'there already' in alps('data', 'get', name, '--from', server.url, '--data_dir', here).stdout
    server.shutdown()


def test_get_falls_back_and_fails_clearly(served):
    name, there, here = served
    good, empty = Server(there), Server(there / 'nothing')
    done = alps('data', 'get', name, '--from', empty.url, '--from', good.url, '--data_dir', here)
    assert done.returncode == 0, done.stderr
    done = alps('data', 'get', name, '--from', empty.url, '--from', 'http://127.0.0.1:9', '--data_dir', here / 'other')
    expect_error(done, 1, '404', '127.0.0.1:9', 'alps data make')
    assert not list((here / 'other').glob('*.npz'))
    good.shutdown()
    empty.shutdown()


def test_demo_twice(tmp_path):
    """The whole way at a tiny size; the second run uses again what the first one made. The commands it shows can be pasted into a shell."""
    out = tmp_path / 'my demo'
    args = ['demo', '--out', out, '--data_dir', tmp_path / 'data', '--episodes', 1, '--variant', 'dijkstra+prior']
    for part in ('representation', 'model', 'prior'):
        args += ['--set', f'{part}_steps=20']
    for turn in range(2):
        done = alps(*args)
        assert done.returncode == 0, done.stderr
        assert ('making' in done.stderr) == (turn == 0), 'the second run should reuse the data set'
        assert 'overall' in done.stdout
        commands = [shlex.split(line[2:]) for line in done.stdout.splitlines() if line.startswith('$ ')]
        assert [c[1] for c in commands] == ['data', 'data', 'train', 'eval', 'plot']
        assert all(c[0] == 'alps' for c in commands) and commands[-1] == ['alps', 'plot', str(out)]
    for name in ('data.png', 'report.html', 'model.safetensors', 'graph.npz', 'eval.csv', 'plots/regions.png'):
        assert (out / name).exists(), name
    assert len((out / 'eval.csv').read_text().splitlines()) == 3
