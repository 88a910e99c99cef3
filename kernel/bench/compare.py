"""Kernels side by side: compare.py [--runs N] [--only FIGURE,...] KERNEL [KERNEL...]

Measures installed kernels by their kernelspec names with Jupyter's client, one
after the other within each figure, so that a busy machine is busy for all, and
prints a table in Markdown; the last column is the first kernel's figure over
the second's. Needs jupyter_client and psutil (Debian: jupyter-client,
python3-psutil).
"""
import argparse
import os
import statistics
import sys
import time
from queue import Empty

import psutil
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

GO = {
    "trivial": "1 + 1",
    "lines": 'import "fmt"\nfor i := 0; i < %d; i++ { fmt.Println("line", i) }',
    "burst": 'for i := 0; i < %d; i++ { Display(i) }',
    "crash": 'import "os"\nos.Exit(3)',
}
PYTHON = {
    "trivial": "1 + 1",
    "lines": 'for i in range(%d): print("line", i)',
    "burst": "for i in range(%d): display(i)",
    "crash": None,  # ends the kernel
}
COMMANDS = {  # the Engine of kernel/enginetest
    "trivial": "result 2",
    "lines": "lines %d",
    "burst": "shows %d",
    "crash": "exit 3",
}


def cells(name):
    if os.environ.get("FATHOM_BENCH_COMMANDS") == name:
        return COMMANDS
    language = KernelSpecManager().get_kernel_spec(name).language
    return {"go": GO, "python": PYTHON}.get(language.lower()) or sys.exit(f"{name}: no cells for {language}")


class Kernel:
    """A running kernel and its client."""

    def __init__(self, name):
        self.cells = cells(name)
        self.km = KernelManager(kernel_name=name)
        begun = time.perf_counter()
        self.km.start_kernel()
        self.kc = self.km.client()
        self.kc.start_channels(hb=False)
        # Sent before the ports are bound, it waits in the client's socket.
        self.kc.kernel_info()
        self.kc.get_shell_msg(timeout=60)
        self.launch = time.perf_counter() - begun
        # Some kernels publish before the client's subscription has arrived.
        while True:
            self.kc.kernel_info()
            self.kc.get_shell_msg(timeout=60)
            try:
                self.kc.get_iopub_msg(timeout=0.2)
                break
            except Empty:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)

    def tree(self):
        kernel = psutil.Process(self.km.provisioner.process.pid)
        return [kernel] + kernel.children(recursive=True)

    def run(self, code, timeout=600):
        """Seconds to reply and idle, the status, and the messages between."""
        begun = time.perf_counter()
        msg_id = self.kc.execute(code)
        messages = []
        while True:
            m = self.kc.get_iopub_msg(timeout=timeout)
            if m["parent_header"].get("msg_id") != msg_id:
                continue
            if m["msg_type"] == "status":
                if m["content"]["execution_state"] == "idle":
                    break
            else:
                messages.append(m)
        while True:
            reply = self.kc.get_shell_msg(timeout=timeout)
            if reply["parent_header"].get("msg_id") == msg_id:
                return time.perf_counter() - begun, reply["content"]["status"], messages


def pss(processes):
    total = 0
    for p in processes:
        try:
            total += p.memory_full_info().pss
        except psutil.Error:
            pass
    return total / 2**20


def launch(name, runs):
    """launch to kernel_info_reply, ms, median"""
    times = []
    for _ in range(max(3, runs // 50)):
        with Kernel(name) as k:
            times.append(k.launch * 1e3)
    return statistics.median(times), f"of {len(times)}"


def trivial(name, runs):
    """trivial cell to reply and idle, ms, median"""
    with Kernel(name) as k:
        for _ in range(5):
            k.run(k.cells["trivial"])
        times = [k.run(k.cells["trivial"])[0] * 1e3 for _ in range(runs)]
    return statistics.median(times), f"of {runs}; p95 {sorted(times)[int(runs * .95)]:.1f}"


def lines(name, runs, n=100_000):
    """100,000 printed lines, s, median of 3"""
    want = "".join(f"line {i}\n" for i in range(n))
    with Kernel(name) as k:
        k.run(k.cells["lines"] % 1)
        times = []
        for _ in range(3):
            seconds, _, messages = k.run(k.cells["lines"] % n)
            times.append(seconds)
            streams = [m["content"]["text"] for m in messages if m["msg_type"] == "stream"]
            whole = "".join(streams) == want
    return statistics.median(times), f"{len(streams)} messages, {'all there, in order' if whole else 'NOT all there'}"


def memory(name, runs):
    """memory of the process tree after the start, MiB (PSS)"""
    with Kernel(name) as k:
        time.sleep(1)
        start = pss(k.tree())
        k.run(k.cells["trivial"])
        time.sleep(2)
        return start, f"{pss(k.tree()):.0f} after a cell, {len(k.tree())} processes"


def crash(name, runs):
    """crash of the process to its error in the cell, ms, median of 10"""
    if cells(name)["crash"] is None:
        return None, "the kernel itself ends"
    times = []
    with Kernel(name) as k:
        for _ in range(10):
            k.run(k.cells["trivial"])
            time.sleep(1.5)  # a user's pause; the spare worker comes up meanwhile
            seconds, status, _ = k.run(k.cells["crash"])
            if status != "error":
                return None, f"status {status}"
            after, status, _ = k.run(k.cells["trivial"])
            times.append((seconds + after) * 1e3)
    return statistics.median(times), "with the next cell's answer"


def burst(name, runs, n=int(os.environ.get("FATHOM_BENCH_BURST", "100000"))):
    """displays in a burst, s"""
    with Kernel(name) as k:
        seconds, status, messages = k.run(k.cells["burst"] % n)
        got = sum(m["msg_type"] == "display_data" for m in messages)
        return seconds, f"{got} of {n} arrived, {status}; {pss(k.tree()):.0f} MiB after it"


FIGURES = {f.__name__: f for f in (launch, trivial, lines, memory, crash, burst)}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--runs", type=int, default=500)
parser.add_argument("--only", default=",".join(FIGURES))
parser.add_argument("kernels", nargs="+")
options = parser.parse_args()

print("| figure |", " | ".join(options.kernels), "|", "ratio |" if len(options.kernels) > 1 else "")
print("| --- |", " | ".join("---" for _ in options.kernels), "|", "--- |" if len(options.kernels) > 1 else "")
for figure in options.only.split(","):
    f = FIGURES[figure]
    columns, values = [], []
    for name in options.kernels:
        try:
            value, note = f(name, options.runs)
        except (Empty, RuntimeError, TimeoutError) as e:
            value, note = None, f"{type(e).__name__} {e}".strip()
        values.append(value)
        columns.append(f"{'-' if value is None else f'{value:.3g}'} ({note})")
    ratio = f"{values[0] / values[1]:.2f}" if len(values) > 1 and values[0] and values[1] else "-"
    print(f"| {f.__doc__} |", " | ".join(columns), "|", f"{ratio} |" if len(options.kernels) > 1 else "", flush=True)
os._exit(0)
