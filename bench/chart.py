"""Charts of the documents: lines with points over logarithmic or plain axes, as SVG."""
import math

COLORS = ("#1f6fb4", "#c5500c", "#2d8a4e", "#7b4fa3", "#8a6d1b", "#555555", "#c2447e", "#2a9d9d")


def ticks(low, high, log):
    if log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if len(powers) < 5 else (1,)
        return [k * 10.0**p for p in powers for k in steps if low <= k * 10.0**p <= high]
    step = 10 ** math.floor(math.log10(high - low))
    step = next(step * k for k in (0.1, 0.2, 0.5, 1, 2) if (high - low) / (step * k) <= 8)
    return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def chart(path, title, x_label, y_label, series, log_x=True, log_y=False, x_ticks=None):
    """series: {name: [(x, y, label), ...]}; labels stand at the points, alternately above and below from line to line"""
    width, height, left, bottom, top, right = 760, 440 + 16 * len(series), 80, 360, 50, 730
    points = [p for line in series.values() for p in line]

    def axis(values, log, start, end):
        low, high = min(values), max(values)
        if low == high:  # a line needs room on both sides
            low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
        margin = (high / low) ** 0.06 if log else 0.06 * (high - low)
        low, high = (low / margin, high * margin) if log else (low - margin, high + margin)
        scale = math.log10 if log else float
        return (lambda v: start + (scale(v) - scale(low)) / (scale(high) - scale(low)) * (end - start)), ticks(low, high, log)

    x, round_ticks = axis([p[0] for p in points], log_x, left, right)
    y, y_ticks = axis([p[1] for p in points], log_y, bottom, top)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="26" font-size="14">{title}</text>']
    for v in y_ticks:
        parts.append(f'<path d="M{left} {y(v):.1f}H{right}" stroke="#e6e6e6"/><text x="{left - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v:,.4g}</text>')
    for v in x_ticks or round_ticks:
        parts.append(f'<path d="M{x(v):.1f} {bottom}v5" stroke="#444"/><text x="{x(v):.1f}" y="{bottom + 20}" text-anchor="middle">{v:,.4g}</text>')
    parts.append(f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#444"/>')
    parts.append(f'<text x="{(left + right) / 2:.0f}" y="{bottom + 42}" text-anchor="middle">{x_label}</text>')
    parts.append(f'<text transform="translate(20 {(top + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">{y_label}</text>')
    for i, (name, line) in enumerate(series.items()):
        color, line = COLORS[i % len(COLORS)], sorted(line)
        parts.append('<path d="M' + 'L'.join(f'{x(p[0]):.1f} {y(p[1]):.1f}' for p in line) + f'" fill="none" stroke="{color}" stroke-width="1.5"/>')
        for p in line:
            parts.append(f'<circle cx="{x(p[0]):.1f}" cy="{y(p[1]):.1f}" r="4" fill="{color}"/>')
            if p[2]:
                parts.append(f'<text x="{x(p[0]):.1f}" y="{y(p[1]) + (18 if i % 2 else -9):.1f}" text-anchor="middle" font-size="10" fill="{color}">{p[2]}</text>')
        parts.append(f'<circle cx="{left + 6}" cy="{bottom + 62 + 16 * i}" r="4" fill="{color}"/><text x="{left + 16}" y="{bottom + 66 + 16 * i}">{name}</text>')
    path.write_text("\n".join(parts) + "</svg>\n")
