"""The cells of the hard cases, in the commands of kernel/enginetest."""
import os
import runpy
import sys

FAKE = {
    "trivial": "result 2",
    "hello": "print hello, world",
    "stderr": "eprint to stderr",
    "lines": "lines %d",
    "busy": "busy",
    "sleep": "sleep %d",
    "late": "late 700 late output",
    "panic": "panic in the cell",
    "panic_goroutine": "gopanic in a goroutine",
    "exit": "exit 3",
    "stdin": "readline",
    "bigvalue": "bigresult 50",
    "state_set": "set stateVar 42",
    "state_get": "get stateVar",
    "error": "fail undefined: undefinedName",
    "complete": ("print a\ndispl", None),
    "inspect": ("print a\ndisplay", None),
    "is_complete": [("a := 1", "complete"), ("func f() {", "incomplete"), ("a } b", "invalid")],
    "language": "go", "extension": ".go",
}

if __name__ == "__main__":
    # cells.py SCRIPT ARGUMENT...: run a script of the cases with these cells.
    script = sys.argv[1]
    sys.path.insert(0, os.path.dirname(script))
    sys.modules.pop("cells", None)
    import importlib.util
    spec = importlib.util.spec_from_file_location("cells", os.path.join(os.path.dirname(script), "cells.py"))
    cells = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cells)
    cells.GO = FAKE
    sys.modules["cells"] = cells
    sys.argv = sys.argv[1:]
    runpy.run_path(script, run_name="__main__")
