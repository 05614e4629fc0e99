"""A small agent: it answers chat and the tool assist_add, and records a journey for each answer, until Ctrl-C."""

import contextlib
import signal
import time

import playctl


def chat(question):
    yield "You said: "  # a part, shown while the rest comes
    yield question.text


def add(a, b):
    return str(a + b)


signal.signal(signal.SIGTERM, signal.default_int_handler)  # it ends the program as Ctrl-C does
with contextlib.suppress(KeyboardInterrupt), playctl.connect() as world:
    tools = {"add": playctl.tool(add, "Adds two numbers", a={"type": "integer"}, b={"type": "integer"})}
    monty = world.agent("Monty", chat=chat, tools=tools, record=True)
    print(f"{monty.name} is on the map as {monty.id}: Ctrl-C removes it", flush=True)
    while True:
        time.sleep(1)  # a signal that came to another thread is noticed after it
