"""Frames to an .mp4 by the ffmpeg program, as the films of `alps plot` are written."""

import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import IO, Any

import numpy as np

from alps.errors import Error, UsageError


class Film:
    """H.264, which every browser plays. The file appears under its name, whole, with `finish`; without it nothing is left."""

    def __init__(self, path: "str | os.PathLike[str]", frames_per_second: float) -> None:
        self.path = pathlib.Path(path)
        self._rate = frames_per_second
        self._program = shutil.which("ffmpeg")
        self._process: subprocess.Popen[bytes] | None = None
        self._size: tuple[int, ...] = ()
        if self.path.suffix != ".mp4":
            raise UsageError(f"{self.path}: a film is a file.mp4")
        if self._program is None:
            raise Error("no ffmpeg on PATH to write videos with; install the Debian package ffmpeg")
        self._part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        self._words: IO[bytes] = tempfile.TemporaryFile()

    def add(self, frame: Any) -> None:
        """(height, width, 3) uint8, what env.render() returns in mode "rgb_array\""""
        image: np.ndarray = np.asarray(frame if frame is not None else 0)
        if image.ndim != 3 or image.shape[-1] != 3 or image.dtype != np.uint8:
            raise UsageError("film: env.render() gave no picture (height, width, 3) of uint8; make the environment with "
                             'render_mode="rgb_array"')
        if self._process is None:
            self._start(image.shape)
        if image.shape != self._size:
            raise UsageError(f"film: env.render() gave a picture of {image.shape} after one of {self._size}")
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(image).tobytes())
        except OSError as error:
            self._fail(str(error))

    def finish(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass  # its exit code says more
        code = self._process.wait()
        if code != 0:
            self._fail(f"exit code {code}")
        self._part.replace(self.path)
        self.drop()

    def drop(self) -> None:
        """ends ffmpeg and removes what is not finished"""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._words.close()
        self._part.unlink(missing_ok=True)

    def _start(self, size: tuple[int, ...]) -> None:
        self._size = size
        self.path.parent.mkdir(parents=True, exist_ok=True)
        command = [str(self._program), "-nostats", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                   f"{size[1]}x{size[0]}", "-r", str(self._rate), "-i", "pipe:0", "-an", "-vf",
                   "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264", "-preset", "veryfast", "-crf", "22",
                   "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", f"file:{self._part}"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._words)

    def _fail(self, what: str) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._words.seek(0)
        said = " ".join(self._words.read().decode(errors="replace").split())[-300:]
        self.drop()
        raise Error(f"ffmpeg could not write {self.path}: {said or what}")
