"""Takes the client of examples/agent-python through a world, and prints what it saw."""

import os
import queue
import sys
import threading

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import playctl  # noqa: E402


def broken(text="", description=""):
    raise RuntimeError("a detail that is not for askers")


def refuse():
    raise playctl.ToolError("closed on Sundays")


class Lines:
    """What comes of a stream, and the stream's own connection."""

    def __init__(self, world, after=None, kind="world:interaction"):
        self.kept, self.events = queue.Queue(), playctl.Stream(world, [kind], after)
        self.open = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self.open.wait(60)

    def _read(self):
        for event in self.events.all():
            self.open.set()
            if event is not None:
                self.kept.put(event)

    def next(self):
        return self.kept.get(timeout=60)


with playctl.connect() as world:
    tools = {"break": playctl.tool(broken, text={"type": "string", "default": ""}, description={"default": ""}), "refuse": playctl.tool(refuse)}
    pia = world.agent("Pia", chat=lambda question: {"heard": question.text}, tools=tools)
    again = world.agent("Pia", tools=tools, chat=lambda question: {"heard": question.text}, group="tests", parent="someone")
    print("same id", pia.id == again.id)
    row = next(o for o in world.snapshot()["worldMap"]["occupants"] if o.get("agentId") == pia.id)
    print("row", row["name"], row["platform"], row["toolNames"], row["assistTools"][0]["parameters"]["properties"])

    lines = Lines(world)
    pia.say("one")
    first = lines.next()
    lines.events._sock.shutdown(2)  # as when a network is lost: the stream resumes after what it had
    pia.say("two")
    print("lines", first.data["text"], lines.next().data["text"])
    later = world.events(["world:interaction"], after=first.seq)
    print("resumed", next(later).data["text"])
    later.close()
    pia.record_journey([{"type": "origin", "content": "by hand", "messageId": "m1"}])
    states = Lines(world, 0, "world:activity")
    shown = lambda: next(d["activity"] for d in iter(lambda: states.next().data, None) if d["playerId"] == pia.id)  # noqa: E731
    while (does := shown())["state"] != "idle":
        pass
    again.usage(inputTokens=3)
    again.working("Reading \n caf\udce9.txt", tool="read")  # as Python reads the name of a file that is not UTF-8
    while (does := shown())["state"] != "working":
        pass
    again.working("Writing")
    again.working("Writing a reply")
    again.waiting("Approve send", usage={"costUsd": 0.5})
    waits = shown()
    while waits["state"] != "waiting":
        waits = shown()
    print("does", does["text"], does["toolName"], does["usage"], waits["text"], waits["usage"], "toolName" in waits)
    states.events.stop()
    for wrong in ({"inputTokens": -1}, {"errors": float("nan")}, {"toolCalls": 10**400}, {"tokens": 1}, {"costUsd": "1"}):
        try:
            again.done(usage=wrong)
            print("took", wrong)
        except ValueError:
            pass
    row = next(o for o in world.snapshot()["worldMap"]["occupants"] if o.get("agentId") == pia.id)
    print("now", row["activity"]["state"], row["group"], row["parentId"])
    try:
        pia.record_journey([])
    except playctl.PlayError as error:
        print("refused", error.status, error.code)
    lines.events.stop()
    if "PLAYCTL_CHECK_ASKED" in os.environ:
        print("ready", flush=True)
        sys.stdin.readline()
print("closed")
