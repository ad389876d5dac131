"""Gymnasium's plug-in: `gymnasium.make("alps/antmaze-large-v0")` works without importing alps first."""

from alps._native import core


def register_envs() -> None:
    """Called by Gymnasium when it is imported, inside the namespace "alps" (the entry point's name)."""
    from gymnasium.envs.registration import register

    for name in core.env_names():
        register(id=name, entry_point="alps.envs:NativeEnv", kwargs={"name": name})
