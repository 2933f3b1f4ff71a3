"""What every driver in Python says and is given."""

import os


def env(name: str) -> str:
    return os.environ["INTEROP_" + name]


def ok(step: str) -> None:
    print("ok " + step, flush=True)


def same(found, expected) -> None:
    assert found == expected, f"{found!r} is not {expected!r}"
