"""Answers questions, which come as JSON objects, one on a line of standard input."""

import json
import sys


def count(text=""):
    """The tool assist_count."""
    words = len(text.split())
    return {"message": f"It has {words} words.", "result": {"words": words}}


TOOLS = {"assist_count": count}


def answer(question):
    """The end of an answer: message, result, both, or an error that is raised."""
    if question["kind"] == "assist":
        return TOOLS[question["toolName"]](**question.get("args", {}))
    send({"id": question["id"], "part": "You said: "})  # a part, shown while the rest comes
    send({"id": question["id"], "part": question["text"]})
    return {}


def send(line):
    print(json.dumps(line), flush=True)


for text in sys.stdin:
    asked = json.loads(text)
    if asked.get("cancel"):
        continue  # nobody waits for that answer any more
    try:
        send({"id": asked["id"], **answer(asked)})
    except Exception as error:  # the answer is then that it failed
        send({"id": asked["id"], "error": str(error) or type(error).__name__})
