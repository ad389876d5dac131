"""Offline goal-conditioned planning: learn a map of the world from past trajectories, then plan on it.

    run = alps.train("pointmaze-medium-navigate-v0")     # a name, a file.npz, a dict of arrays or an alps.Dataset
    agent = alps.load(run)
    action = agent.act(observation, goal)

The planner is C++; torch is loaded only to train. Importing this package registers the native environments with Gymnasium:
gymnasium.make("alps/antmaze-large-v0"). docs/python.md says more.
"""

from alps._native import core as _core
from alps.agent import Agent, load
from alps.checks import Finding, Findings, check
from alps.dataset import Dataset, dataset_names, make_dataset
from alps.envs import NativeEnv, env_names, make_env
from alps.errors import Error, UsageError
from alps.evaluate import Episode, Evaluation, evaluate
from alps.run import Run, report
from alps.training import train
from alps.viewing import view

Decision = _core.Decision
__version__: str = _core.version

__all__ = ["Agent", "Dataset", "Decision", "Episode", "Error", "Evaluation", "Finding", "Findings", "NativeEnv", "Run", "UsageError", "check",
           "dataset_names", "env_names", "evaluate", "load", "make_dataset", "make_env", "report", "train",
           "view"]
