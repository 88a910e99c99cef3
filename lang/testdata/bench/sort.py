def run():
    xs = [0] * 1_000_000
    x = 1
    for i in range(len(xs)):
        x = (x * 1664525 + 1013904223) & 0xffffffff
        xs[i] = x
    xs.sort()
    return float(xs[len(xs) // 2])
