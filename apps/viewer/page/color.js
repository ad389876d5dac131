// The colours of pictures, in OKLab as those of `alps plot`: a scale for values, and hues for things to be told apart.
const gamma = x => { x = Math.min(1, Math.max(0, x)); return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055; };

function srgb(lightness, chroma, degrees) {
  const a = chroma * Math.cos(degrees * Math.PI / 180), b = chroma * Math.sin(degrees * Math.PI / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s].map(x => Math.round(255 * gamma(x)));
}

const bends = [[0.10, 308], [0.135, 286], [0.095, 245], [0.088, 198], [0.12, 160], [0.17, 128], [0.16, 108]];
const steps = 256;
const table = Array.from({ length: steps }, (_, k) => {
  const t = k / (steps - 1), i = Math.min(Math.floor(t * 6), 5), f = t * 6 - i;
  return srgb(0.27 + t * 0.66, bends[i][0] + f * (bends[i + 1][0] - bends[i][0]), bends[i][1] + f * (bends[i + 1][1] - bends[i][1]));
});

export const dark = matchMedia('(prefers-color-scheme: dark)');
// near is what stands out from the ground: dark on light, bright on dark
export const scale = t => table[Math.round((steps - 1) * (dark.matches ? 1 - t : t))] || [158, 158, 158];
export const hue = index => srgb([0.57, 0.71, 0.50, 0.64, 0.43][index % 5], 0.145, (250 + 137.50776405 * index) % 360);

// a colour of the style sheet, looked up once for light and once for dark
const known = new Map();
export function css(name) {
  const key = `${name} ${dark.matches}`;
  if (!known.has(key)) known.set(key, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return known.get(key);
}

// one pixel of a picture, as a canvas holds it
export const pixel = (r, g, b, a = 255) => (a << 24 | b << 16 | g << 8 | r) >>> 0;
