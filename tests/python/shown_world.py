"""alps.view as a user's script calls it: python shown_world.py RUN [placed] [judged] [fails]. A point in a maze, drawn by NumPy."""
import signal
import sys

import gymnasium
import numpy as np

import alps


class Drawn(gymnasium.Wrapper):
    """what a user's own environment may do: it is drawn, and it may break"""

    render_mode = "rgb_array"

    def render(self):
        frame = np.full((700, 600, 3), 255, np.uint8)  # too large for the page: every second pixel is sent
        x, y = self.seen[:2]
        frame[int(20 * y) + 100:int(20 * y) + 120, int(20 * x) + 100:int(20 * x) + 120] = (200, 30, 30)
        return frame

    def reset(self, **how):
        self.seen, info = self.env.reset(**how)
        self.steps = 0
        return self.seen, info

    def step(self, action):
        self.steps += 1
        if "fails" in sys.argv and self.steps == 3:
            raise ValueError("the motor has come off")
        self.seen, *rest = self.env.step(action)
        if "ends" in sys.argv and self.steps == 3:
            rest[1] = True
        return self.seen, *rest


def place(env, observation):
    options = {"start": observation[:2].tolist(), "goal": (20, 20)}
    return env.reset(options=options)[0]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run in the background
    how = {}
    if "placed" in sys.argv:
        how["place"] = place
    if "judged" in sys.argv:
        how.update(columns=[0, 1], tolerance=1.0)
    env = Drawn(alps.make_env("pointmaze-medium-v0", terminate_at_goal=False))
    alps.view(alps.load(sys.argv[1], variant="dijkstra+cem", samples=48), env, port=0, **how)
    print("over")
