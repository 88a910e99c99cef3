def run():
    s = 0.0
    for i in range(100_000_000):
        s += i * 0.5
    return s
