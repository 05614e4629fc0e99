"""A small agent: it answers chat and the tool assist_add, and records a journey for each answer, until Ctrl-C."""

import signal

import playctl


def chat(question):
    yield "You said: "  # a part, shown while the rest comes
    yield question.text


def add(a, b):
    return str(a + b)


with playctl.connect() as world:
    tools = {"add": playctl.tool(add, "Adds two numbers", a={"type": "integer"}, b={"type": "integer"})}
    monty = world.agent("Monty", chat=chat, tools=tools, record=True)
    print(f"{monty.name} is on the map as {monty.id}: Ctrl-C takes it off", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})
