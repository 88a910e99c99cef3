"""libzmq's side of the interoperability tests: peer.py COMMAND ENDPOINT [ARG]

Each command ends with the line "ok", or with a traceback.
"""
import os
import sys
import time

import zmq

context = zmq.Context()
command, endpoint = sys.argv[1], sys.argv[2]
argument = int(sys.argv[3]) if len(sys.argv) > 3 else 0


def socket(kind, identity=None, **options):
    s = context.socket(kind)
    s.linger = 0
    s.rcvtimeo = 60000
    s.sndhwm = 0
    if identity:
        s.identity = identity
    for name, value in options.items():
        s.setsockopt(getattr(zmq, name), value)
    s.connect(endpoint)
    return s


def echo(s, *parts):
    s.send_multipart(parts)
    got = s.recv_multipart()
    assert got == list(parts), (len(got), [len(p) for p in got])


def sizes():
    """Messages of every kind of frame, up to 64 MiB."""
    s = socket(zmq.DEALER, b"sizes")
    for n in (0, 1, 254, 255, 256, 65535, 65536, 1 << 20, 64 << 20):
        echo(s, b"head", os.urandom(min(n, 1 << 16)) * (n // min(n, 1 << 16)) if n else b"", b"")


def heartbeat():
    """A REQ socket in lock-step, with libzmq's own PINGs every 50 ms."""
    s = socket(zmq.REQ, HEARTBEAT_IVL=50, HEARTBEAT_TIMEOUT=500, HEARTBEAT_TTL=1000)
    for i in range(20):
        echo(s, b"ping %d" % i)
        time.sleep(0.05)
    time.sleep(1)
    echo(s, b"after a pause")


def reconnect():
    """200 connections under one identity, each of which must be answered."""
    for i in range(200):
        s = socket(zmq.DEALER, b"the same")
        echo(s, b"%d" % i)
        s.close()


def clients():
    """100 clients at once."""
    all = [socket(zmq.DEALER) for _ in range(100)]
    for round in range(10):
        for i, s in enumerate(all):
            s.send(b"%d %d" % (i, round))
        for i, s in enumerate(all):
            assert s.recv() == b"%d %d" % (i, round)


def burst():
    """A subscriber with libzmq's default queue: all messages, in order.
    A positive argument is seconds to sleep first."""
    s = socket(zmq.SUB, RCVHWM=1000)
    s.subscribe(b"")
    print("subscribed", flush=True)
    time.sleep(argument)
    n = 0
    while True:
        topic, body = s.recv_multipart()
        if topic == b"end":
            assert int(body) == n, (body, n)
            return
        assert int(body[:12]) == n, (body[:12], n)
        n += 1


def topics():
    """Only what is subscribed comes; unsubscribing works."""
    s = socket(zmq.SUB)
    s.subscribe(b"a.")
    print("subscribed", flush=True)
    assert s.recv_multipart() == [b"a.1", b"x"]
    assert s.recv_multipart() == [b"a.2", b"x"]
    s.unsubscribe(b"a.")
    s.subscribe(b"b")
    assert s.recv_multipart() == [b"b", b"y"]


def stuck():
    """Connects, says so, and is stopped by the test."""
    if argument:
        s = socket(zmq.SUB, RCVHWM=1)
        s.subscribe(b"")
    else:
        s = socket(zmq.DEALER, b"stuck")
        s.send(b"flood me")
    print("subscribed", flush=True)
    time.sleep(600)


def patient():
    """Connects before anybody listens, and again after the server is gone."""
    s = socket(zmq.DEALER, b"patient")
    print("subscribed", flush=True)
    echo(s, b"first")
    print("answered", flush=True)
    time.sleep(1)
    echo(s, b"second")


globals()[command]()
print("ok", flush=True)
os._exit(0)
