"""Says whether two runs of a notebook show the same: same.py A.ipynb B.ipynb

Times, addresses and pictures' bytes may differ; everything else must not. It
compares what a client of the protocol recorded with what `fathom run` did.
"""
import re
import sys

import nbformat

VARY = re.compile(r"0x[0-9a-f]+|[0-9]+(\.[0-9]+)? ?(ns|µs|ms|s|min)\b|goroutine [0-9]+|id=\"[^\"]*\"")


def shown(cell):
    parts = []
    for o in cell.get("outputs", []):
        kind = o["output_type"]
        if kind == "stream":
            parts.append((kind, o["name"], VARY.sub("…", o["text"])))
        elif kind == "error":
            parts.append((kind, o["ename"], VARY.sub("…", o["evalue"])))
        else:
            data = {mime: VARY.sub("…", v) if mime == "text/plain" else "" for mime, v in o["data"].items()}
            parts.append((kind, sorted(data.items())))
    return parts


a, b = (nbformat.read(f, as_version=4) for f in sys.argv[1:3])
bad = 0
for i, (x, y) in enumerate(zip(a.cells, b.cells)):
    if shown(x) != shown(y):
        bad += 1
        print(f"cell {i}: {x.source.splitlines()[:1]}\n  {shown(x)}\n  {shown(y)}")
if len(a.cells) != len(b.cells) or bad:
    sys.exit(1)
print(f"{len(a.cells)} cells show the same")
