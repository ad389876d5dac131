"""The page of a run, with an environment of the user's own to act in.

The page is served by the program `alps`, in a process of its own. Environments are Python objects, so they stay here: the program
asks over a socket for resets, steps and pictures (apps/guest/guest_env.h has the other end)."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
import zlib
from collections.abc import Callable, Sequence
from typing import IO, Any

import gymnasium
import numpy as np

from alps import _program
from alps._world import Success, World, for_space
from alps.agent import Agent, load
from alps.errors import Error, UsageError

_WIDEST = 480  # pixels of a picture on the page


def view(run: "str | os.PathLike[str] | Agent", env: "gymnasium.Env[Any, Any] | None" = None, *, port: int = 8000,
         success: Success | None = None, columns: "Sequence[int] | slice | None" = None,
         tolerance: "float | Sequence[float] | None" = None, max_steps: int = 0, options: "dict[str, Any] | None" = None,
         observe: Callable[[Any], Any] | None = None,
         place: "Callable[[gymnasium.Env[Any, Any], np.ndarray], Any] | None" = None) -> None:
    """Serves the page of a run on this machine until Ctrl-C (a notebook: interrupt the kernel). Prints its address.

    run:       a folder, what alps.train returned, or an agent of alps.load, whose variant and settings the page begins with
    env:       a Gymnasium environment to act in. Goals are states of the data that one clicks on, and the goals that
               the environment names itself. Made with render_mode="rgb_array", it is also seen on the page. There is one
               environment: of several open pages, the one that began an episode last has it
    port:      on 127.0.0.1; 0: any free one
    success, columns, tolerance, max_steps, observe:  as alps.evaluate takes them. Without a test of success, an episode
               towards a state of the data goes on to its last step
    options:   of env.reset, a dict
    place:     a function (env, observation) that puts the environment into the state of an observation, and returns what
               the environment shows there. Called after env.reset. With it, one chooses the start on the page; without
               it, episodes begin where env.reset begins them
    """
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < 65536:
        raise UsageError(f"port: {port!r} is not a whole number from 0 to 65535")
    agent = run if isinstance(run, Agent) else None
    folder = os.path.abspath(agent.folder if agent is not None else os.fspath(run))  # type: ignore[arg-type]
    host = None
    if env is not None:
        host = _Host(agent if agent is not None else load(folder), env,
                     World(env, success, columns, tolerance, max_steps, observe), options, place)
    elif any(value is not None for value in (success, columns, tolerance, options, observe, place)) or max_steps:
        raise UsageError("success, columns, tolerance, max_steps, options, observe and place are about an environment: give env= too")
    _serve(["view", folder, "--port", str(port), *_planner_options(agent)], host)


def _planner_options(agent: Agent | None) -> list[str]:
    if agent is None:
        return []
    how = agent._how
    if how["clusters"]:
        raise UsageError("clusters: the page shows the regions of the run; load the agent without clusters=")
    chosen = ["--variant", how["variant"]] if how["variant"] != "alps" else []
    chosen += ["--planner", how["planner"]] if how["planner"] != "run" else []
    return [*chosen, *(word for setting in how["set"] for word in ("--set", setting))]


class _Host:
    """Answers the program's questions about the environment."""

    def __init__(self, agent: Agent, env: "gymnasium.Env[Any, Any]", world: World, options: Any, place: Any) -> None:
        self._env, self._world, self._options, self._place = env, world, options, place
        self._goal = np.zeros(0)
        self._own = False  # the goal is the environment's
        self._steps = 0
        # what does not fit is told here, before any page is open
        shown, info = env.reset(seed=0, options=options)
        observation = world.seen(shown)
        if observation.shape != agent.observation_shape:
            raise UsageError(f"the environment shows observations of shape {observation.shape}, but the run was trained on "
                             f"{agent.observation_shape}; say with observe=function how they are made")
        for_space(np.zeros(agent.action_size, np.float32), env.action_space)
        self._dtype, self._size = observation.dtype, observation.nbytes
        name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        self.hello = dict(name=name, observation_shape=list(observation.shape), image=observation.dtype == np.uint8,
                          action_size=agent.action_size, max_steps=world.max_steps, starts=place is not None, judges=world.judges,
                          own_goals=world.own_goal(shown, info, observation) is not None,
                          pictures=env.render_mode == "rgb_array")

    def answer(self, kind: bytes, body: bytes) -> bytes:
        return {b"R": self._reset, b"S": self._step, b"P": self._picture}[kind](body)

    def _reset(self, body: bytes) -> bytes:
        """seed, whether there are a start and a goal, start, goal -> observation, goal"""
        seed, has_start, has_goal = struct.unpack("<I??", body[:6])
        shown, info = self._env.reset(seed=seed, options=self._options)
        observation = self._checked(self._world.seen(shown))
        rows = np.frombuffer(body[6:], self._dtype).reshape(-1, *observation.shape)
        if has_start:
            shown = self._place(self._env, rows[0].copy())
            if shown is None:
                raise UsageError("place: returned nothing; what the environment shows in its new state is expected")
            observation = self._checked(self._world.seen(shown))
        if has_goal:
            goal = rows[-1]
        else:
            named = self._world.own_goal(shown, info, observation)
            if named is None:
                raise UsageError("the environment has named no goal this time")
            goal = named
        self._goal, self._own, self._steps = goal, not has_goal, 0
        return observation.tobytes() + goal.tobytes()

    def _step(self, body: bytes) -> bytes:
        """the action -> success, terminated, truncated, observation"""
        observation, info, terminated, truncated = self._world.step(np.frombuffer(body).astype(np.float32))
        self._steps += 1
        judged = self._world.judges or (self._own and self._world.flagged(info))
        arrived = judged and self._world.arrived(observation, self._goal, info)
        ended = truncated or self._steps >= self._world.max_steps
        return bytes([arrived, terminated, ended]) + self._checked(observation).tobytes()

    def _picture(self, body: bytes) -> bytes:
        del body
        frame = np.asarray(self._env.render())
        if frame.ndim != 3 or frame.shape[-1] != 3 or frame.dtype != np.uint8:
            raise UsageError("env.render() gave no picture (height, width, 3) of uint8")
        every = -(-max(frame.shape[:2]) // _WIDEST)
        return _png(frame[::every, ::every])

    def _checked(self, observation: np.ndarray) -> np.ndarray:
        if observation.nbytes != self._size or observation.dtype != self._dtype:
            raise UsageError(f"an observation of shape {observation.shape} ({observation.dtype}), unlike the first one")
        return observation


def _png(image: np.ndarray) -> bytes:
    height, width = image.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)  # 0: no filter

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows.tobytes(), 1)) + chunk(b"IEND", b""))


def _serve(args: list[str], host: _Host | None) -> None:
    """starts the program and answers it until it ends or Ctrl-C"""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        # Ctrl-C of a terminal comes here only, and is passed on once
        process = subprocess.Popen([_program.PROGRAM, *args, "--guest", str(theirs.fileno())], env=_program.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   pass_fds=[theirs.fileno()], start_new_session=True)
        theirs.close()
        said: list[str] = []
        readers = [threading.Thread(target=_tell, args=(process.stdout, sys.stdout, [])),
                   threading.Thread(target=_tell, args=(process.stderr, sys.stderr, said))]
        for reader in readers:
            reader.start()
        try:
            with ours.makefile("rwb") as channel:
                _answer(channel, host)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
        except OSError:
            pass  # the program has ended; its words and its code say why
        finally:
            ours.close()  # ends the program too
            code = process.wait()
            for reader in readers:
                reader.join()
    if code not in (0, 130):
        words = "".join(said).strip() or f"the program alps ended with code {code}"
        raise (UsageError if code == 2 else Error)(words)


def _tell(source: "IO[str]", to: Any, errors: list[str]) -> None:
    """passes on what the program says; its errors are raised later"""
    with source:
        for line in source:
            if errors or line.startswith("alps: error: "):
                errors.append(line.removeprefix("alps: error: "))
            else:
                print(line, end="", file=to, flush=True)


def _answer(channel: Any, host: _Host | None) -> None:
    _write(channel, b"H", json.dumps(None if host is None else host.hello).encode())
    while len(head := channel.read(5)) == 5:
        kind, length = struct.unpack("<cI", head)
        body = channel.read(length)
        try:
            assert host is not None
            _write(channel, b"D", host.answer(kind, body))
        except Exception as error:
            # the page shows the sentence; who wrote the environment wants to know where
            own = isinstance(error, UsageError)
            if not own:
                traceback.print_exc()
            _write(channel, b"E", (str(error) if own else f"{type(error).__name__}: {error}").encode())


def _write(channel: Any, kind: bytes, body: bytes) -> None:
    channel.write(kind + struct.pack("<I", len(body)) + body)
    channel.flush()
