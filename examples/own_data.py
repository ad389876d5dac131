"""Your own data, from arrays to a planner that reaches goals: Gymnasium's Pendulum, which OGBench does not have.

    python examples/own_data.py [--out runs/pendulum] [--episodes 50]

Collects swings under random torques, trains with default settings, checks data and run, and travels to the upright pendulum and
to angles drawn at random. docs/own-data.md goes through it step by step."""

import argparse
import math
import pathlib
import time

import gymnasium
import numpy as np

import alps

TORQUE = 2.0  # the largest one
STEPS = 200  # of an episode


def angle_and_speed(observation):
    """(angle from upright, angular velocity); an observation is (cos, sin, velocity)"""
    return math.atan2(observation[1], observation[0]), float(observation[2])


def state_of(angle, speed=0.0):
    return np.array([math.cos(angle), math.sin(angle), speed], np.float32)


def collect(episodes, seed=0):
    """Torques drawn at random and held for a while: that pumps the pendulum up and round, and brakes it, by chance."""
    env = gymnasium.make("Pendulum-v1", max_episode_steps=STEPS)
    rng = np.random.default_rng(seed)
    recorded, places = [], []
    for episode in range(episodes):
        seen, done = [env.reset(seed=seed * episodes + episode)[0]], []
        for step in range(STEPS):
            if step == 0 or rng.random() < 0.15:
                torque = rng.uniform(-TORQUE, TORQUE)
            done.append(np.clip([torque + 0.2 * TORQUE * rng.normal()], -TORQUE, TORQUE).astype(np.float32))
            seen.append(env.step(done[-1])[0])
        recorded.append((seen, done))
        places += map(angle_and_speed, seen)
    data = alps.Dataset.from_episodes(recorded, name="pendulum")
    # qpos is optional: it tells `alps plot` where to draw a state
    return alps.Dataset(data.observations, data.actions, data.terminals, qpos=places, name="pendulum")


def arrived(observation, goal, info):
    """within 0.2 rad (11 degrees) of the goal's angle, and nearly as fast"""
    (angle, speed), (goal_angle, goal_speed) = angle_and_speed(observation), angle_and_speed(goal)
    turn = (angle - goal_angle + math.pi) % (2 * math.pi) - math.pi
    return abs(turn) < 0.2 and abs(speed - goal_speed) < 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="runs/pendulum")
    parser.add_argument("--episodes", type=int, default=50, help="to each kind of goal")
    parser.add_argument("--data_episodes", type=int, default=200)
    parser.add_argument("--threads", type=int, default=0, help="of the training; 0: all cores")
    parser.add_argument("--steps", type=int, help="of each part of the training (default: as measured); fewer are faster and worse")
    args = parser.parse_args()

    # 1. arrays of your own: observations, actions, ends of episodes
    data = collect(args.data_episodes)
    print(data.check())

    # 2. train; what is there already is kept
    start = time.time()
    fewer = {f"{part}_steps": args.steps for part in ("representation", "model", "prior")} if args.steps else {}
    run = alps.train(data, out=args.out, resume=(pathlib.Path(args.out) / "config.json").exists(), threads=args.threads, **fewer)
    print(f"{run}: trained in {time.time() - start:.0f} s")
    print(run.check())

    # 3. embed: in psi, distance means travel time
    agent = alps.load(run)
    upright, hanging, falling = state_of(0), state_of(math.pi), state_of(0.5, 2.0)
    print(f"psi has {agent.embed(upright).size} numbers; from upright to hanging {agent.distance(upright, hanging):.2f}, "
          f"to falling over {agent.distance(upright, falling):.2f}")

    # 4. look: pictures over angle and speed
    print(run.report())

    # 5. plan, and count; starts lie anywhere
    rng = np.random.default_rng(1)
    env = gymnasium.make("Pendulum-v1", max_episode_steps=STEPS)
    goals = {"upright": [upright] * args.episodes, "a random angle": [state_of(a) for a in rng.uniform(-math.pi, math.pi, args.episodes)]}
    policies = {"alps": agent, "random torques": lambda observation, goal: rng.uniform(-TORQUE, TORQUE, 1)}
    for task, places in goals.items():
        for name, policy in policies.items():
            result = alps.evaluate(policy, env, np.array(places), success=arrived, options={"x_init": math.pi, "y_init": 1.0})
            print(f"{task:15} {name:15} {result}")


if __name__ == "__main__":
    main()
