"""The package's environments as `alps eval --backend ogbench` steps them, beside the native ones: from the same state,
which either gives to the other, to the end of an episode."""
import numpy as np
import pytest

from conftest import run_tool


# The package multiplies the point's float32 actions in float32, and the arm's too: contacts would amplify that, so an arm
# is compared over a few steps only.
@pytest.mark.parametrize('body, steps, tolerance', [('ant', 1000, 1e-10), ('point', 200, 1e-6)])
def test_states_go_both_ways(body, steps, tolerance, tmp_path):
    run_tool('backend_tool', f'{body}maze-medium-navigate-v0', f'{body}maze-medium-v0', steps, tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    for key in ('observations', 'qpos', 'places', 'flags'):
        assert np.array_equal(out[f'package/{key}'], out[f'again/{key}']), f'{key}: set_state does not repeat'
    for key in ('qpos', 'places', 'flags'):
        assert np.abs(out[f'native/{key}'] - out[f'package/{key}']).max() <= tolerance, key
    native, package = out['native/observations'], out['package/observations']
    assert native.dtype == np.float32 and native.shape == package.shape
    assert np.all(np.abs(native - package) <= np.spacing(np.abs(package)) + tolerance)
    assert np.abs(np.diff(out['package/qpos'], axis=0)).max() > 0.01, 'nothing moved'
    assert out['end/package'][0] == out['end/native'][0] == steps
    assert (out['package/flags'][-1, 2] == 1) == (steps == 1000)
    assert np.abs(out['end/package'][:3] - out['end/native'][:3]).max() <= tolerance


@pytest.mark.parametrize('world', ['cube-double', 'scene'])
def test_states_of_an_arm_go_both_ways(world, tmp_path):
    run_tool('backend_tool', f'{world}-play-v0', f'{world}-v0', 20, tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    for key in ('observations', 'qpos', 'flags'):
        assert np.array_equal(out[f'package/{key}'], out[f'again/{key}']), f'{key}: set_state does not repeat'
        assert np.abs(out[f'native/{key}'] - out[f'package/{key}']).max() <= 1e-4, key
    assert np.array_equal(out['package/observations'][0], out['native/observations'][0])
    assert np.abs(np.diff(out['package/qpos'], axis=0)).max() > 0.01, 'nothing moved'
    assert out['end/package'].shape == out['end/native'].shape
    assert out['end/package'][0] == out['end/native'][0] == 20
