"""The Python of docs/own-data.md, run as it stands there. Training alone is cut short: how well the agent does is in the document."""
import pathlib
import re

import pytest

import alps

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/own-data.md"
SHORT = dict(representation_steps=60, model_steps=60, prior_steps=60, encoder_width=32, model_width=32, prior_width=32, threads=1,
             progress=False)


def blocks():
    return re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)


def test_the_ten_lines_are_ten():
    lines = blocks()[1].strip().splitlines()
    assert len(lines) == 10 and lines[0] == "import alps" and "agent.act(" in "".join(lines)


def test_every_block_runs_as_written(tmp_path, monkeypatch, capsys):
    train = alps.train
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(alps, "train", lambda data, **how: train(data, **how, **SHORT))
    known = {}
    for number, block in enumerate(blocks()):
        try:
            exec(compile(block, f"{DOCUMENT.name}, block {number + 1}", "exec"), known)
        except Exception as error:
            pytest.fail(f"block {number + 1} of {DOCUMENT.name}:\n{block}\n{type(error).__name__}: {error}")
    said = capsys.readouterr().out
    # the episode, the count, advice before and after training, and the causes
    assert re.search(r"after \d+ steps: \[", said) and "of 50 goals reached" in said and "psi and time" in said and "Markov" in said
    assert (tmp_path / "robot.npz").exists() and (tmp_path / "runs/robot/model.safetensors").exists()
    # the function that puts the pendulum into a state of the record
    robot, observation = known["robot"], known["observations"][7]
    assert known["place"](robot, observation) is observation
    assert robot.unwrapped._get_obs() == pytest.approx(observation, abs=1e-6)


def test_causes_are_those_that_evaluate_gives():
    """each row of the table of causes is a word of the program's census, or of alps.evaluate itself"""
    table = DOCUMENT.read_text().split("| cause |")[1].split("\n\n")[0]
    causes = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    judged = {alps._core.judge(10, 10, [0] * 10, 1, [False] * 10, 0), alps._core.judge(10, 0, [1] * 10, 1, [False] * 10, 0),
              alps._core.judge(10, 0, [0] * 10, 1, [False] * 10, 0), alps._core.judge(10, 0, [0, 1] * 5, 2, [True] * 10, 0),
              alps._core.judge(10, 0, list(range(10)), 20, [False] * 10, 0)}
    assert set(causes) == judged | {"ended by the environment"}
