"""`alps expert` and data of the ant, as people use them."""
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get('ALPS_PROGRAM', str(ROOT / 'build/release/apps/alps'))


def alps(*args):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300)


def test_train_writes_policy_and_curve(tmp_path):
    out = tmp_path / 'ant.safetensors'
    done = alps('expert', 'train', 'ant', '--out', out, '--steps', 5100, '--threads', 1)
    assert done.returncode == 0, done.stderr
    policy = load_file(out)
    assert policy['policy.0.weight'].shape == (256, 29) and policy['policy.2.weight'].shape == (16, 256)
    lines = (tmp_path / 'ant.safetensors.csv').read_text().splitlines()
    assert lines[0].startswith('step,speed_plane,') and lines[1].startswith('5000,') and len(lines) == 2
    assert (tmp_path / 'ant.safetensors.svg').exists() and not (tmp_path / 'ant.safetensors.checkpoint').exists()
    assert 'trained already' in alps('expert', 'train', 'ant', '--out', out, '--resume').stdout
    # what it wrote can be walked with
    done = alps('data', 'make', 'antmaze-medium-stitch-v0', '--episodes', 2, '--data_dir', tmp_path, '--expert', out)
    assert done.returncode == 0, done.stderr


def test_a_training_too_short_for_a_curve(tmp_path):
    done = alps('expert', 'train', 'ant', '--out', tmp_path / 'ant.safetensors', '--steps', 50)
    assert done.returncode == 0 and (tmp_path / 'ant.safetensors').exists(), done.stderr


def test_a_humanoid_is_taught_by_two_teachers(tmp_path):
    out = tmp_path / 'humanoid.safetensors'
    shutil.copy(ROOT / 'experts/humanoid.safetensors.ways', f'{out}.ways')  # to search for them takes minutes
    done = alps('expert', 'train', 'humanoid', '--out', out, '--steps', 4000)
    assert done.returncode == 0, done.stderr
    student = load_file(out)
    assert student['policy.0.weight'].shape[1] == 67 and student['policy.3.bias'].shape == (21,)
    for teacher in ('walker', 'riser'):
        weights = load_file(f'{out}.{teacher}')
        assert weights['teacher.0.weight'].shape[1] == 71 and weights['teacher.log_sigma'].shape == (21,)
        assert (tmp_path / f'humanoid.safetensors.{teacher}.csv').read_text().startswith('step,command,speed,')
    assert 'trained already' in alps('expert', 'train', 'humanoid', '--out', out, '--resume').stdout
    done = alps('expert', 'measure', 'humanoid', '--expert', out, '--episodes', 1)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert 'fallen' in rows[0] and 'up in 150' in rows[0] and len(rows) == 5 and 'humanoidmaze-medium-v0' in rows[1]
    done = alps('expert', 'train', 'humanoid', '--out', tmp_path / 'x.safetensors', '--walls', 0.5)
    assert done.returncode == 2 and '--walls' in done.stderr


def test_wrong_use(tmp_path):
    done = alps('expert', 'train', 'bee')
    assert done.returncode == 2 and 'bee' in done.stderr
    done = alps('expert', 'train', 'ant', '--out', tmp_path / 'x.safetensors', '--resume')
    assert done.returncode == 1 and 'x.safetensors.checkpoint' in done.stderr
    (tmp_path / 'broken.safetensors').write_bytes(b'\x10\0\0\0\0\0\0\0not a header....')
    done = alps('expert', 'measure', 'ant', '--expert', tmp_path / 'broken.safetensors')
    assert done.returncode == 1 and 'broken.safetensors' in done.stderr
    done = alps('data', 'make', 'antmaze-medium-stitch-v0', '--data_dir', tmp_path, '--expert', tmp_path / 'none.safetensors')
    assert done.returncode == 1 and 'none.safetensors' in done.stderr
    assert not list(tmp_path.glob('antmaze*'))


def test_the_expert_in_the_tree_walks(tmp_path):
    done = alps('data', 'make', 'antmaze-medium-navigate-v0', '--episodes', 6, '--data_dir', tmp_path)
    assert done.returncode == 0, done.stderr
    told = alps('data', 'info', 'antmaze-medium-navigate-v0', '--data_dir', tmp_path).stdout
    visited, stride = re.search(r'(\d+) of 26 cells visited, ([\d.]+) from row to row; on its back in', told).groups()
    assert int(visited) >= 18 and 0.09 < float(stride) < 0.2, told
    with np.load(tmp_path / 'antmaze-medium-navigate-v0.npz') as data:
        assert data['observations'].shape == (6006, 29) and data['actions'].shape == (6006, 8)
        assert np.abs(data['actions']).max() <= 1
        moved = np.linalg.norm(data['observations'][500:5500:1001, :2] - data['observations'][0:5000:1001, :2], axis=1)
    assert (moved > 4).sum() >= 3  # most are in another cell after 500 steps


def test_the_humanoid_in_the_tree_gets_up_and_walks(tmp_path):
    done = alps('data', 'make', 'humanoidmaze-medium-navigate-v0', '--episodes', 4, '--data_dir', tmp_path)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / 'humanoidmaze-medium-navigate-v0.npz') as data:
        seen = data['observations'].reshape(4, 2001, 69)
        assert np.abs(data['actions']).max() <= 1 and data['actions'].shape == (8004, 21)
    head = seen[:, :, 23]
    assert (head[:, 40] < 0.6).sum() >= 3  # lying after the drop
    assert (head.max(1) > 1.3).all()  # and every one of them stood later
    assert (head[:, 300:] > 1.1).mean() > 0.5


def test_measure(tmp_path):
    done = alps('expert', 'measure', 'ant', '--episodes', 2)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert rows[0].split()[0] == 'where' and [r.split()[0] for r in rows[1:]] == [
        'plane', 'antmaze-medium-v0', 'antmaze-large-v0', 'antmaze-giant-v0', 'antmaze-teleport-v0']


def test_film(tmp_path):
    out = tmp_path / 'ant.mp4'
    done = alps('expert', 'film', 'ant', '--seconds', 1, '--width', 64, '--out', out)
    assert done.returncode == 0, done.stderr
    told = subprocess.run(['ffprobe', '-v', 'error', '-count_frames', '-select_streams', 'v', '-show_entries', 'stream=width,nb_read_frames',
                           '-of', 'csv=p=0', out], capture_output=True, text=True, check=True).stdout
    assert told.strip().split(',') == ['64', '10']  # ten steps of 0.1 s
