from math import sqrt
def A(i, j): return 1 / ((i + j) * (i + j + 1) // 2 + i + 1)
def times(v, u):
    for i in range(len(v)): v[i] = sum(A(i, j) * u[j] for j in range(len(u)))
def transposed(v, u):
    for i in range(len(v)): v[i] = sum(A(j, i) * u[j] for j in range(len(u)))
def run():
    n = 1000
    u, v, w = [1.0] * n, [0.0] * n, [0.0] * n
    for _ in range(10): times(w, u); transposed(v, w); times(w, v); transposed(u, w)
    return sqrt(sum(a * b for a, b in zip(u, v)) / sum(b * b for b in v))
