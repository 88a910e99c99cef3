from math import sqrt
def advance(bs, dt):
    for i in range(len(bs)):
        a = bs[i]
        for j in range(i + 1, len(bs)):
            b = bs[j]
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            d2 = dx * dx + dy * dy + dz * dz
            mag = dt / (d2 * sqrt(d2))
            a[3] -= dx * b[6] * mag; a[4] -= dy * b[6] * mag; a[5] -= dz * b[6] * mag
            b[3] += dx * a[6] * mag; b[4] += dy * a[6] * mag; b[5] += dz * a[6] * mag
    for b in bs:
        b[0] += dt * b[3]; b[1] += dt * b[4]; b[2] += dt * b[5]
def run():
    bs = [[0, 0, 0, 0, 0, 0, 39.47], [4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037], [8.34, 4.12, -0.4, -1.01, 1.8, 0.008, 0.011], [12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017], [15.37, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002]]
    for _ in range(1000000): advance(bs, 0.01)
    e = 0.0
    for i, b in enumerate(bs):
        e += 0.5 * b[6] * (b[3] ** 2 + b[4] ** 2 + b[5] ** 2)
        for c in bs[i + 1:]:
            e -= b[6] * c[6] / sqrt((b[0] - c[0]) ** 2 + (b[1] - c[1]) ** 2 + (b[2] - c[2]) ** 2)
    return e
