"""Offline goal-conditioned planning: learn a map of the world from past trajectories, then plan on it.

    run = alps.train("pointmaze-medium-navigate-v0")     # a name, a file.npz, a dict of arrays or an alps.Dataset
    agent = alps.load(run)
    action = agent.act(observation, goal)

The planner is C++; importing this package loads neither torch nor Gymnasium. docs/python.md says more.
"""

from alps._native import core as _core
from alps.agent import Agent, load
from alps.dataset import Dataset, dataset_names, make_dataset
from alps.run import Run
from alps.training import train

Error = _core.Error
UsageError = _core.UsageError
Decision = _core.Decision
__version__: str = _core.version

__all__ = ["Agent", "Dataset", "Decision", "Error", "Run", "UsageError", "dataset_names", "env_names", "load",
           "make_dataset", "make_env", "train"]


def make_env(name: str, **options):
    """A native environment as a gymnasium.Env; the same as gymnasium.make("alps/NAME") without Gymnasium's wrappers.

    options: terminate_at_goal (True), max_episode_steps (0: OGBench's).
    """
    from alps.envs import NativeEnv  # Gymnasium takes longer to load than all of the above

    return NativeEnv(name, **options)


def env_names() -> list[str]:
    """Names that make_env takes."""
    return _core.env_names()
