"""Writes a large synthetic data set of images, to measure how much memory `alps train` takes (docs/performance.md).

    python bench/large_images.py OUT.npz [--rows 300000] [--size 64] [--stored]
    /usr/bin/time -v alps train OUT.npz --out RUN --set representation_steps=50 --set model_steps=50 --set prior_steps=50

A point moves through a square by its actions; its image is a bright spot on a background that drifts with time, so that
no two frames are equal. Rows are written block by block: the script itself takes little memory.
"""
import argparse
import io
import zipfile

import numpy as np

EPISODE = 500  # rows


def header(dtype, shape):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
    return out.getvalue()


def walks(rows, rng):
    """places (rows, 2) in [0, 1], actions (rows, 2), terminals (rows)"""
    actions = rng.uniform(-1, 1, (rows, 2)).astype(np.float32)
    for column in range(2):  # smooth: a moving mean
        actions[:, column] = np.convolve(actions[:, column], np.ones(8) / 3, mode="same").clip(-1, 1)
    places = np.empty((rows, 2), np.float32)
    for first in range(0, rows, EPISODE):
        at = rng.uniform(0, 1, 2)
        for row in range(first, min(first + EPISODE, rows)):
            places[row] = at
            at = (at + 0.03 * actions[row]).clip(0, 1)
    terminals = np.zeros(rows, bool)
    terminals[EPISODE - 1::EPISODE] = True
    terminals[-1] = True
    return places, actions, terminals


def frames(places, first, size):
    """(n, size, size, 3) uint8: a spot at each place, and a background that depends on the number of the row"""
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    time = (first + np.arange(len(places), dtype=np.float32))[:, None]
    x = np.exp(-((axis - places[:, :1]) ** 2) / 0.01)
    y = np.exp(-((axis - places[:, 1:]) ** 2) / 0.01)
    image = np.empty((len(places), size, size, 3), np.float32)
    for channel in range(3):
        along = np.sin(6.3 * axis[None] * (channel + 1) + time * (0.0021 + 0.0013 * channel))
        across = np.cos(4.1 * axis[None] + time * 0.0007 * (channel + 1))
        image[..., channel] = 90 + 40 * along[:, None, :] * across[:, :, None]
        image[..., channel] += (125 - 40 * channel) * y[:, :, None] * x[:, None, :]
    return image.clip(0, 255).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--size", type=int, default=64, help="height and width of an image")
    parser.add_argument("--stored", action="store_true", help="do not compress: rows can then be read in place")
    a = parser.parse_args()
    places, actions, terminals = walks(a.rows, np.random.default_rng(0))
    kind = dict(compression=zipfile.ZIP_STORED) if a.stored else dict(compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    with zipfile.ZipFile(a.out, "w", **kind) as archive:
        with archive.open("observations.npy", "w", force_zip64=True) as member:
            member.write(header(np.uint8, (a.rows, a.size, a.size, 3)))
            for first in range(0, a.rows, 1000):
                member.write(frames(places[first:first + 1000], first, a.size).tobytes())
        for key, array in {"actions": actions, "terminals": terminals, "qpos": places}.items():
            with archive.open(key + ".npy", "w") as member:
                np.save(member, array)


if __name__ == "__main__":
    main()
