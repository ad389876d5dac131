"""Your own data, from arrays to a planner that reaches goals: Gymnasium's Pendulum, which OGBench does not have.

    python examples/own_data.py [--out runs/pendulum] [--episodes 50]

Collects swings under random torques, trains, looks at what psi thinks of the states, and plans from random starts to the
upright pendulum and to angles drawn at random. docs/own-data.md goes through it step by step."""

import argparse
import math
import pathlib
import subprocess
import sys
import time

import gymnasium
import numpy as np

import alps

TORQUE = 2.0  # of the environment; actions of the data set lie in [-1, 1]
STEPS = 200  # of an episode


def angle_and_speed(observation):
    """(angle from upright, angular velocity); an observation is (cos, sin, velocity)"""
    return math.atan2(observation[1], observation[0]), float(observation[2])


def collect(episodes, seed=0):
    """Torques drawn at random and held for a while: that pumps the pendulum up and round, and brakes it, by chance."""
    env = gymnasium.make("Pendulum-v1", max_episode_steps=STEPS)
    rng = np.random.default_rng(seed)
    observations, actions, terminals, places = [], [], [], []
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed * episodes + episode)
        for step in range(STEPS + 1):
            if step == 0 or rng.random() < 0.15:
                torque = rng.uniform(-1, 1)
            action = np.clip(torque + 0.2 * rng.normal(), -1, 1)
            observations.append(observation)
            actions.append([action])
            terminals.append(step == STEPS)  # the last row holds the final state; its action is not used
            places.append(angle_and_speed(observation))
            if step < STEPS:
                observation = env.step(np.array([TORQUE * action], np.float32))[0]
    # qpos is optional: it tells `alps plot` where to draw a state
    return alps.Dataset(observations, actions, terminals, qpos=places, name="pendulum")


def reached(observation, goal):
    """within 0.2 rad (11 degrees) of the goal's angle, and nearly at rest"""
    angle, speed = angle_and_speed(observation)
    goal_angle, goal_speed = angle_and_speed(goal)
    turn = (angle - goal_angle + math.pi) % (2 * math.pi) - math.pi
    return abs(turn) < 0.2 and abs(speed - goal_speed) < 1.0


def evaluate(act, goals, seed):
    """how many of the goals are reached within STEPS steps, and after how many on average"""
    env = gymnasium.make("Pendulum-v1", max_episode_steps=STEPS)
    taken = []
    for episode, goal in enumerate(goals):
        observation, _ = env.reset(seed=seed + episode, options={"x_init": math.pi, "y_init": 1.0})
        for step in range(STEPS):
            observation = env.step((TORQUE * act(observation, goal)).astype(np.float32))[0]
            if reached(observation, goal):
                taken.append(step + 1)
                break
    return len(taken), float(np.mean(taken)) if taken else math.nan


def interval(successes, trials, z=1.959964):
    """Wilson's, 95 %"""
    share, square = successes / trials, z * z / trials
    middle, half = share + square / 2, z * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return (middle - half) / (1 + square), (middle + half) / (1 + square)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="runs/pendulum")
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--data_episodes", type=int, default=500)
    parser.add_argument("--threads", type=int, default=0, help="of the training; 0: all cores")
    parser.add_argument("--scale", type=float, default=1.0, help="of all training steps; smaller is faster and worse")
    args = parser.parse_args()

    # 1. arrays of your own: observations, actions, ends of episodes
    data = collect(args.data_episodes)
    print(data)

    # 2. train; what is there already is kept
    start = time.time()
    steps = {part: max(1, round(args.scale * count))
             for part, count in dict(representation_steps=2000, model_steps=1000, prior_steps=1500).items()}
    run = alps.train(data, out=args.out, resume=(pathlib.Path(args.out) / "config.json").exists(),
                     threads=args.threads, gamma=0.9, model_width=256, prior_width=256, prior_horizon=25, **steps)
    print(f"{run}: trained in {time.time() - start:.0f} s")

    # 3. embed: in psi, distance means travel time
    agent = alps.load(run)
    upright, hanging, falling = (np.array([math.cos(a), math.sin(a), v], np.float32)
                                 for a, v in ((0, 0), (math.pi, 0), (0.5, 2.0)))
    print(f"psi has {agent.embed(upright).size} numbers; from upright to hanging {agent.distance(upright, hanging):.2f}, "
          f"to falling over {agent.distance(upright, falling):.2f}")

    # 4. look: pictures over angle and speed
    subprocess.run([sys.executable, "-m", "alps", "plot", args.out], check=True)

    # 5. plan, and count
    rng = np.random.default_rng(1)
    angles = rng.uniform(-math.pi, math.pi, args.episodes)
    tasks = {"upright": [upright] * args.episodes,
             "a random angle": [np.array([math.cos(a), math.sin(a), 0], np.float32) for a in angles]}
    policies = {"alps": alps_policy(agent), "random torques": lambda observation, goal: rng.uniform(-1, 1, 1)}
    for task, goals in tasks.items():
        for name, act in policies.items():
            successes, steps = evaluate(act, goals, seed=10_000)
            low, high = interval(successes, len(goals))
            print(f"{task:15} {name:15} {successes}/{len(goals)} reached ({100 * low:.0f}-{100 * high:.0f} %), "
                  f"after {steps:.0f} steps")


def alps_policy(agent):
    return lambda observation, goal: agent.act(observation, goal)


if __name__ == "__main__":
    main()
