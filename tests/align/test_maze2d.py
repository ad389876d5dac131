"""Maze2D against a second opinion: moves against shapely, pictures against scipy.ndimage.gaussian_filter.

The walls below are typed in anew from PcLast's description. maze2d_tool walks with our environment and records every
position; each recorded move is then redone here, from the recorded position, so that one difference does not hide the
next. Geometry is done in thousandths, where walls and grid points are whole numbers and shapely decides exactly whether
a segment touches a box.
"""

import os
import pathlib
import subprocess

import numpy as np
import pytest
import scipy.ndimage
import shapely

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build" / "release")) / "tests" / "maze2d_tool"

WALLS = {
    "hallway": [(50, 0, 50, 40), (50, 60, 50, 100), (20, 40, 80, 40), (20, 60, 80, 60)],
    "rooms": [
        (25, 0, 25, 80),
        (25, 90, 25, 100),
        (50, 0, 50, 20),
        (50, 30, 50, 100),
        (75, 0, 75, 45),
        (75, 55, 75, 100),
    ],
    "spiral": [
        (20, 0, 20, 75),
        (20, 75, 80, 75),
        (80, 25, 80, 75),
        (40, 25, 80, 25),
        (40, 25, 40, 50),
        (40, 50, 60, 50),
    ],
}
STARTS = [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9), (0.45, 0.45)]
STEPS = 10_000  # of each walk


def call_tool(folder, layout, actions, start, goal):
    arrays = {"actions": actions, "start": start, "goal": goal}
    np.savez(folder / "in.npz", **{key: np.asarray(value, float) for key, value in arrays.items()})
    return subprocess.run([TOOL, layout, folder / "in.npz", folder / "out.npz"], capture_output=True, text=True)


def run_tool(folder, *walk):
    done = call_tool(folder, *walk)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as out:
        return out["positions"], out["success"], out["images"]


def random_actions(rng):
    """Half uniform over a bit more than the limits, half in hundredths, where contacts fall on rounding ties."""
    actions = rng.uniform(-0.22, 0.22, (STEPS, 2))
    actions[::2] = np.round(actions[::2], 2)
    return actions


@pytest.fixture(scope="module", params=WALLS)
def walks(request, tmp_path_factory):
    """(layout, [(start, goal, actions, positions, success, images)])"""
    folder, rng, result = tmp_path_factory.mktemp(request.param), np.random.default_rng(0), []
    for start, goal in zip(STARTS, STARTS[1:] + STARTS[:1]):
        actions = random_actions(rng)
        result.append((start, goal, actions, *run_tool(folder, request.param, actions, start, goal)))
    return request.param, result


def wall_box(wall):
    x0, y0, x1, y1 = wall
    return shapely.box(10 * x0 - 9, 10 * y0 - 9, 10 * x1 + 9, 10 * y1 + 9)


def expected_moves(layout, before, actions):
    """Ends of the moves, (n, 2) in hundredths, and the unrounded contacts (nan where no wall is met)."""
    target = np.clip(np.round(before + np.clip(actions, -0.2, 0.2), 2), 0, 0.99)
    old, new = np.rint(1000 * before), np.rint(1000 * target)
    segments, starts = shapely.linestrings(np.stack([old, new], axis=1)), shapely.points(old)
    contact, nearest = np.full(old.shape, np.nan), np.full(len(old), np.inf)
    for wall in map(wall_box, WALLS[layout]):
        touching = shapely.intersects(wall, segments)
        met = shapely.intersection(wall, segments[touching])
        point = shapely.get_coordinates(shapely.get_point(shapely.shortest_line(starts[touching], met), 1))
        away = np.linalg.norm(point - old[touching], axis=1)
        closer = away < nearest[touching]
        rows = np.flatnonzero(touching)[closer]
        contact[rows], nearest[rows] = point[closer], away[closer]
    end = np.where(np.isnan(contact), new, contact) / 10
    return np.clip(np.rint(end), 0, 99), contact / 10


def test_moves_agree_with_shapely(walks):
    layout, result = walks
    moves = stopped = ties = differing = 0
    for start, _, actions, positions, _, _ in result:
        assert np.array_equal(positions[0], start)
        cells = np.rint(100 * positions)
        assert np.array_equal(positions, cells / 100), "positions keep exactly two decimals"
        assert cells.min() >= 0 and cells.max() <= 99
        expected, contact = expected_moves(layout, positions[:-1], actions)

        # a contact within 1e-6 (1e-4 hundredths) of a tie may be rounded either way, along that axis only
        off = np.abs(cells[1:] - expected)
        tie = np.abs(np.nan_to_num(contact) % 1 - 0.5) < 1e-4
        bad = np.flatnonzero(((off > 0) & ~tie | (off > 1)).any(axis=1))
        assert len(bad) == 0, [(positions[i], actions[i], positions[i + 1], expected[i] / 100) for i in bad[:5]]
        moves += len(actions)
        stopped += int((~np.isnan(contact[:, 0])).sum())
        ties += int(tie.any(axis=1).sum())
        differing += int((off > 0).any(axis=1).sum())
    print(f"{layout}: {moves} moves, {stopped} met a wall, {ties} on a rounding tie, {differing} of them differ")
    assert moves >= 20_000
    assert stopped > moves // 100
    assert ties < moves // 100


def test_positions_are_outside_walls(walks):
    layout, result = walks
    boxes = shapely.union_all([wall_box(wall) for wall in WALLS[layout]])
    assert sum(len(positions) for *_, positions, _, _ in result) > 20_000
    for *_, positions, _, _ in result:
        assert not shapely.intersects(boxes, shapely.points(np.rint(1000 * positions))).any()


def test_success_is_being_within_three_hundredths(walks):
    _, result = walks
    seen = 0
    for _, goal, _, positions, success, _ in result:
        offset = np.rint(100 * positions[1:]) - np.rint(100 * np.array(goal))
        assert np.array_equal(success, (offset**2).sum(axis=1) <= 9)
        seen += int(success.sum())
    assert seen > 0


def expected_image(position):
    image = np.zeros((100, 100))
    image[tuple(np.rint(100 * np.asarray(position)).astype(int))] = 1
    image = scipy.ndimage.gaussian_filter(image, sigma=1)
    return 255 * image / image.max()


def compare_images(positions, images):
    """How many pixels were rounded differently; any other difference fails."""
    differing = 0
    for position, image in zip(positions, images, strict=True):
        exact = expected_image(position)
        off = np.abs(image.astype(int) - np.rint(exact))
        tie = np.abs(exact % 1 - 0.5) < 1e-9
        assert not ((off > 0) & ~tie).any() and off.max() <= 1, position
        differing += int((off > 0).sum())
    return differing


def test_images_agree_with_scipy(walks):
    layout, result = walks
    differing = sum(compare_images(positions[:50], images) for *_, positions, _, images in result)
    print(f"{layout}: {50 * len(result)} images, {differing} pixels on a rounding tie differ")
    assert differing <= 5


def test_images_at_the_border_agree_with_scipy(tmp_path):
    """From corner to corner along the border, where the blur is reflected, looking around in each."""
    first = [(0.01, 0)] * 5 + [(-0.2, 0)] + [(0, 0.2)] * 5
    second = [(0, -0.01)] * 5 + [(0, 0.2)] + [(0.2, 0)] * 5
    third = [(-0.01, 0)] * 5 + [(0.2, 0)] + [(-0.01, -0.01)] * 5
    positions, _, images = run_tool(tmp_path, "spiral", first + second + third, (0, 0), (0.5, 0.99))
    cells = {tuple(cell) for cell in np.rint(100 * positions).astype(int)}
    assert {(i, 0) for i in range(6)} | {(0, 99 - i) for i in range(6)} | {(99 - i, 99 - i) for i in range(6)} <= cells
    assert compare_images(positions, images) == 0


def test_an_action_that_is_no_number_is_refused(tmp_path):
    done = call_tool(tmp_path, "spiral", [(0.1, np.nan)], (0, 0), (0.9, 0.9))
    assert done.returncode == 1
    assert "not a number" in done.stderr
    assert not (tmp_path / "out.npz").exists()
