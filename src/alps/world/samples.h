// The samples of one frame of 64 x 64 pixels, four a pixel as MuJoCo's renderer takes them, and the rays through them.
// The camera of OGBench's mazes never turns, so rays are tables: of the camera at (x, y, z), the point that lies `drop`
// below it on a ray is (x + drop ray_x, y + drop ray_y, z - drop), and the drop tells which of two points is nearer.
#pragma once

namespace alps {

constexpr int kFrameSide = 64, kFramePixels = kFrameSide * kFrameSide, kFrameSamples = 4;

// a colour in one number, ten bits a channel: four of them can be added
constexpr int packed(int red, int green, int blue) { return red | green << 10 | blue << 20; }

struct Samples {
  alignas(64) int color[kFrameSamples][kFramePixels];
  alignas(64) float drop[kFrameSamples][kFramePixels];
};

struct Rays {
  Rays();
  // through the samples, and through the middles of pixels, where MuJoCo's renderer finds colours
  float sample_x[kFrameSamples][kFramePixels], sample_y[kFrameSamples][kFrameSide];
  float middle_x[kFramePixels], middle_y[kFrameSide];
};

// where a camera is
struct Eye {
  float x = 0, y = 0, z = 0;
};

}  // namespace alps
