"""alps.train."""
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from safetensors.numpy import load_file

import alps
from conftest import SMALL

TINY = {**SMALL, "representation_steps": 60, "model_steps": 40, "prior_steps": 40, "threads": 1}


def arrays(dataset, rows=5000):
    return {key: array[:rows] for key, array in dataset.arrays().items()}


def weights(run):
    return load_file(run.folder / "model.safetensors")


def test_trains_on_a_dict(dataset, tmp_path, capsys):
    told = []
    run = alps.train(arrays(dataset), out=tmp_path / "run", name="mine", seed=3, progress=lambda *line: told.append(line), **TINY)
    assert {part for part, *_ in told} == {"representation", "model", "prior"}
    assert all(step <= steps for _, step, steps, _ in told) and "loss" in told[-1][3]
    assert run.config["seed"] == 3 and run.config["data"]["name"] == "mine" and run.config["settings"]["prior_width"] == 64
    assert {f.name for f in run.folder.iterdir()} >= {"mine.npz", "config.json", "model.safetensors", "graph.npz", "train.csv"}
    assert float(run.train_log()[-1]["training/loss"]) > 0 and run.eval_log() == []
    agent = run.load()
    assert agent.act(dataset.observations[0], dataset.observations[300]).shape == (2,)
    with pytest.raises(alps.Error, match="belongs to no environment"):
        agent.env_name

    # the same data, the same weights; a part anew; other data are not mixed in
    again = alps.train(run.folder / "mine.npz", out=tmp_path / "again", seed=3, progress=False, **TINY)
    assert all(np.array_equal(weights(run)[key], value) for key, value in weights(again).items())
    alps.train(arrays(dataset), out=run, name="mine", only="prior", progress=False)
    assert capsys.readouterr().err == ""
    with pytest.raises(alps.UsageError, match="holds other data"):
        alps.train(arrays(dataset, 3000), out=run, name="mine", resume=True)
    with pytest.raises(alps.UsageError, match="holds a run already"):
        alps.train(arrays(dataset), out=run, name="mine")


def test_progress_is_shown(dataset, tmp_path, capsys):
    alps.train(arrays(dataset, 2000), out=tmp_path / "run", **TINY)
    shown = capsys.readouterr().err
    assert "representation  100 %  60/60  loss" in shown and "cutting the map into regions" in shown


def test_errors(dataset, tmp_path):
    with pytest.raises(alps.UsageError, match="no setting|unknown|did you mean 'gamma'"):
        alps.train(arrays(dataset), out=tmp_path / "a", gama=0.9)
    with pytest.raises(alps.UsageError, match="did you mean 'prior'"):
        alps.train(arrays(dataset), out=tmp_path / "b", only="prio")
    with pytest.raises(alps.UsageError, match="--preset slow"):
        alps.train(arrays(dataset), out=tmp_path / "c", preset="slow")
    with pytest.raises(alps.Error, match="no such file"):
        alps.train("none-v0", data_dir=tmp_path)
    with pytest.raises(alps.UsageError, match="takes a dataset"):
        alps.train()

    def stumble(*_):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        alps.train(arrays(dataset), out=tmp_path / "d", progress=stumble, **TINY)


def test_ctrl_c_keeps_a_checkpoint(dataset, tmp_path):
    """SIGINT in the middle of a part, as Ctrl-C sends it; going on leads to the weights of an uninterrupted run"""
    source = dataset.__class__(**arrays(dataset)).save(tmp_path / "mine.npz")
    steps = {**TINY, "model_steps": 400}
    script = textwrap.dedent(f"""
        import os, signal, alps
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run in the background
        def watch(part, step, steps, note):
            if part == "model" and step < steps:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            alps.train({str(source)!r}, out={str(tmp_path / 'run')!r}, progress=watch, **{steps!r})
        except KeyboardInterrupt as stopped:
            print("stopped:", stopped)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert "stopped: interrupted in the model at step" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "run" / "checkpoint.safetensors").exists()
    run = alps.train(out=tmp_path / "run", resume=True, progress=False)
    assert not (tmp_path / "run" / "checkpoint.safetensors").exists()
    whole = alps.train(source, out=tmp_path / "whole", progress=False, **steps)
    for key, value in weights(whole).items():
        assert np.array_equal(weights(run)[key], value), key


def test_ctrl_c_without_a_checkpoint_in_python_code(tmp_path):
    """making data is interrupted too, and leaves nothing"""
    script = textwrap.dedent(f"""
        import os, signal, alps
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run in the background
        def watch(what, done, total, note):
            os.kill(os.getpid(), signal.SIGINT)
        try:
            alps.make_dataset("pointmaze-giant-navigate-v0", {str(tmp_path)!r}, threads=1, progress=watch)
        except KeyboardInterrupt:
            print("stopped", os.listdir({str(tmp_path)!r}))
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "stopped []", done.stdout + done.stderr
