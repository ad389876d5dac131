"""Our .npy and .npz files against the real NumPy, both ways: what NumPy writes we read, what we write NumPy reads.

The C++ side is npz_tool, found in the build folder named by ALPS_BUILD (by default build/release).
"""

import io
import os
import pathlib
import subprocess
import zipfile
import zlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build" / "release")) / "tests" / "npz_tool"

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]
SHAPES = [(), (0,), (1,), (17,), (3, 0, 2), (40, 7), (5, 3, 2, 4), (70001, 3), (2,) * 12]


def tool(*arguments, fails=False):
    done = subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == (1 if fails else 0), done.stderr
    if fails:
        assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
        return done.stderr
    return done.stdout


def make(dtype, shape, order="C", seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        array = rng.random(shape) < 0.5
    elif dtype.startswith("float"):
        array = np.asarray(rng.normal(size=shape))
        if array.size > 4:
            array.flat[:4] = [np.nan, np.inf, -np.inf, -0.0]
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        array = rng.integers(low, high, size=shape, dtype=dtype, endpoint=True)
    return np.array(array, dtype=dtype, order=order)


def all_arrays():
    return {
        f"{dtype}_{order}_{'x'.join(map(str, shape)) or 'scalar'}": make(dtype, shape, order, seed=i)
        for i, dtype in enumerate(DTYPES)
        for shape in SHAPES
        for order in "CF"
    }


def assert_same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == want.tobytes()  # both in C order; NaN and -0.0 count too


def assert_same_files(path, arrays):
    with np.load(path) as file:
        assert file.files == list(arrays)
        for key, want in arrays.items():
            assert_same(file[key], want)
            assert not file[key].flags.f_contiguous or file[key].flags.c_contiguous
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None


def npy_bytes(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_npz_there_and_back(tmp_path, save, level):
    arrays = all_arrays()
    save(tmp_path / "in.npz", **arrays)
    tool("copy", tmp_path / "in.npz", tmp_path / "out.npz", level)
    assert_same_files(tmp_path / "out.npz", arrays)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_npy_there_and_back(tmp_path, dtype, order, shape):
    array = make(dtype, shape, order)
    np.save(tmp_path / "in.npy", array)
    tool("copy_npy", tmp_path / "in.npy", tmp_path / "out.npy")
    assert_same(np.load(tmp_path / "out.npy"), array)
    # to the byte what NumPy writes
    np.save(tmp_path / "numpy.npy", np.array(array, order="C"))
    assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "numpy.npy").read_bytes()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_versions(tmp_path, version, order):
    array = make("float32", (9, 5, 2), order)
    (tmp_path / "in.npy").write_bytes(npy_bytes(array, version))
    tool("copy_npy", tmp_path / "in.npy", tmp_path / "out.npy")
    assert_same(np.load(tmp_path / "out.npy"), array)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
@pytest.mark.parametrize("zip64", [False, True], ids=["plain", "zip64"])
@pytest.mark.parametrize("seekable", [False, True], ids=["descriptors", "seekable"])
def test_archives_by_zipfile(tmp_path, method, zip64, seekable):
    class Pipe(io.RawIOBase):  # cannot seek, so that zipfile writes sizes and checksum behind the data
        def __init__(self, path):
            self.file = open(path, "wb")

        def writable(self):
            return True

        def write(self, data):
            return self.file.write(data)

        def close(self):
            self.file.close()
            super().close()

    arrays = {"a/b": make("float32", (1000, 3)), "größe": make("int64", (7,)), "no_suffix": make("uint8", (5,))}
    path = tmp_path / "in.npz"
    out = open(path, "wb") if seekable else Pipe(path)
    with out, zipfile.ZipFile(out, "w", method) as archive:
        archive.comment = b"PK\x05\x06 a comment that looks like an end record, but is none"
        for key, array in arrays.items():
            name = key if key == "no_suffix" else key + ".npy"
            with archive.open(name, "w", force_zip64=zip64) as member:
                member.write(npy_bytes(array))
    tool("copy", path, tmp_path / "out.npz")
    assert_same_files(tmp_path / "out.npz", arrays)


def test_many_members_need_a_zip64_end_record(tmp_path):
    count = 66000
    with zipfile.ZipFile(tmp_path / "in.npz", "w") as archive:
        for i in range(count):
            archive.writestr(f"{i}.npy", npy_bytes(np.int32(i)))
    tool("copy", tmp_path / "in.npz", tmp_path / "out.npz", 0)
    with zipfile.ZipFile(tmp_path / "out.npz") as archive:
        assert len(archive.namelist()) == count
        assert np.load(io.BytesIO(archive.read(f"{count - 1}.npy"))) == count - 1


def test_blocks_of_large_members(tmp_path):
    # random walks of several blocks; one member ends exactly with a block (1 MiB, header of 128 bytes included)
    rng = np.random.default_rng(0)
    arrays = {
        "walk": np.cumsum(rng.normal(size=(200_000, 9)), axis=0).astype("float32"),
        "zeros": np.zeros((5 << 20), "uint8"),
        "exact": rng.integers(0, 9, size=(3 << 20) - 128, dtype="uint8"),
    }
    np.savez_compressed(tmp_path / "in.npz", **arrays)
    tool("copy", tmp_path / "in.npz", tmp_path / "out.npz")
    assert_same_files(tmp_path / "out.npz", arrays)
    assert os.path.getsize(tmp_path / "out.npz") < 1.01 * os.path.getsize(tmp_path / "in.npz")
    tool("stream_copy", tmp_path / "in.npz", tmp_path / "streamed.npz")
    assert (tmp_path / "streamed.npz").read_bytes() == (tmp_path / "out.npz").read_bytes()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_streams_and_rows(tmp_path, save, dtype):
    array = make(dtype, (3001, 11, 2))
    save(tmp_path / "in.npz", x=array, empty=array[:0])
    for key, want in {"x": array, "empty": array[:0]}.items():
        assert tool("stream", tmp_path / "in.npz", key) == f"{dtype} {want.shape} {zlib.crc32(want.tobytes())}\n"
        tool("copy_rows", tmp_path / "in.npz", key, tmp_path / f"{key}.npy")
        assert_same(np.load(tmp_path / f"{key}.npy"), want)


REFUSED = {
    "big_endian": (np.arange(3, dtype=">f4"), 'is big-endian (">f4"); save it with arr.astype("<f4")'),
    "big_endian_int": (np.arange(3, dtype=">i8"), 'save it with arr.astype("<i8")'),
    "object": (np.array([{}, None], dtype=object), "Python objects"),
    "string": (np.array(["a", "b"]), "strings"),
    "bytes": (np.array([b"a", b"b"]), "strings"),
    "structured": (np.zeros(3, dtype=[("a", "<f4"), ("b", "<i8")]), "save each of its fields"),
    "void": (np.zeros(3, dtype="V4"), "structured"),
    "uint32": (np.zeros(3, "uint32"), 'save it with arr.astype("<i8")'),
    "int16": (np.zeros(3, "int16"), 'save it with arr.astype("<i4")'),
    "complex": (np.zeros(3, "complex64"), "arr.real"),
    "time": (np.zeros(3, "datetime64[s]"), 'save it with arr.astype("<i8")'),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_types(tmp_path, kind):
    array, remedy = REFUSED[kind]
    np.save(tmp_path / "in.npy", array, allow_pickle=True)
    np.savez_compressed(tmp_path / "in.npz", good=np.zeros(3, "float32"), bad=array, allow_pickle=True)
    message = tool("copy_npy", tmp_path / "in.npy", tmp_path / "out.npy", fails=True)
    assert remedy in message and "in.npy" in message
    for verb in (["copy", tmp_path / "in.npz"], ["stream", tmp_path / "in.npz", "bad"]):
        message = tool(*verb, tmp_path / "out.npz", fails=True)
        assert remedy in message and "in.npz: key 'bad'" in message
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.npy", "in.npz"]  # nothing left behind


def test_refused_archives(tmp_path):
    path, out = tmp_path / "in.npz", tmp_path / "out.npz"
    array = make("float32", (10, 2))

    def refuse(message, *arguments):
        assert message in tool(*(arguments or ("copy", path, out)), fails=True)

    refuse("No such file")
    path.write_bytes(b"")
    refuse("not an .npz file")
    np.savez_compressed(path, x=array)
    refuse("has no key 'y'; it has 'x'", "stream", path, "y")
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    refuse("cut short")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.npy", npy_bytes(array))
    refuse("numpy.savez")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello, this is no array")
    refuse("key 'readme.txt' is not a NumPy array")
    np.savez(path, x=np.asfortranarray(array))
    refuse("numpy.ascontiguousarray", "stream", path, "x")
    refuse("numpy.ascontiguousarray", "copy_rows", path, "x", tmp_path / "rows.npy")
    refuse("not a regular file", "copy", tmp_path, out)


def test_every_float16_is_read_as_float32(tmp_path):
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).reshape(256, 256)
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "in.npz", x=halves, f=np.asfortranarray(halves))
        tool("copy", tmp_path / "in.npz", tmp_path / "out.npz")
        want = halves.astype(np.float32)
        save(tmp_path / "c.npz", x=halves)
        tool("stream_copy", tmp_path / "c.npz", tmp_path / "streamed.npz")
        with np.load(tmp_path / "out.npz") as out, np.load(tmp_path / "streamed.npz") as streamed:
            for read in (out["x"], out["f"], streamed["x"]):
                assert read.dtype == np.float32 and np.array_equal(read, want, equal_nan=True)
