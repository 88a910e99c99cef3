def run():
    counts = {}
    x = 1
    for _ in range(5_000_000):
        x = (x * 1664525 + 1013904223) & 0xffffffff
        k = (x >> 12) % 50_000
        counts[k] = counts.get(k, 0) + 1
    return float(len(counts))
