"""What several worker processes of one call of pytest need and one of them makes, such as a trained run."""
import contextlib
import fcntl
import os
import pathlib
import shutil


@contextlib.contextmanager
def made_once(tmp_path_factory, name):
    """A folder that all workers of this call of pytest share; true for the first of them, for whom the others wait."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"shared-{name}"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = pathlib.Path(f"{folder}.done")
        first = not done.exists()
        if first:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        yield folder, first
        done.touch()
