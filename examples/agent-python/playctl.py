"""A client of a playctl world in one file, for Python 3.11 or newer without packages.

    import playctl
    with playctl.connect() as world:
        ada = world.agent("Ada", chat=lambda question: "You said: " + question.text)
        ada.say("Good morning.")
        for event in world.events(["world:interaction"]):
            print(event.data["text"])

Copy it beside your program. All calls may come from several threads.
"""

import collections
import concurrent.futures
import hashlib
import hmac
import http.client
import json
import os
import random
import secrets
import ssl
import sys
import threading
import time
import urllib.parse
from datetime import datetime, timezone

LONGEST_REPLY = 32 << 20  # bytes that are read of a reply, and of a line of the stream
PATIENCE = 60  # seconds for which a call is tried again
SILENCE = 45  # seconds after which a stream without a byte is lost; hosts write every 15 s


class PlayError(Exception):
    """A refusal of the host: its status, code and requestId. Status 0: no answer came."""

    def __init__(self, message, status=0, code="unreachable", request_id="", retry_after=0):
        super().__init__(message)
        self.status, self.code, self.request_id, self.retry_after = status, code, request_id, retry_after


class ToolError(Exception):
    """What a chat function or a tool raises to let the asker read its text."""


Event = collections.namedtuple("Event", "seq kind data")
Tool = collections.namedtuple("Tool", "run description parameters")
Node = collections.namedtuple("Node", "id hash")


def tool(run, description="", /, **properties):
    """A tool that people may call: run gets the arguments by name. Each property is a JSON Schema; those without
    a default are required, and forms keep their order. One may be called run or description as well."""
    parameters = {
        "type": "object",
        "properties": {name: {**schema, "x-order": place} for place, (name, schema) in enumerate(properties.items())},
        "required": [name for name, schema in properties.items() if "default" not in schema],
    }
    return Tool(run, description, parameters)


def hash_phrase(phrase):
    """The passwHash of a phrase, as the protocol's "Credentials" says. The phrase itself is never sent."""
    # The white space of ECMAScript, which is neither Python's nor Unicode's.
    space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    words = "".join(" " if c in space else c for c in phrase).split(" ")
    return hashlib.sha256(" ".join(word for word in words if word).encode()).hexdigest()


def node_of(passw_hash, root_key):
    """The node of a hash under a host's root key. It takes 0.2 s and 64 MiB."""
    salt = hashlib.sha256(b"agent-play:node-id:v1:" + root_key.strip().lower().encode()).digest()
    key = hashlib.scrypt(passw_hash.encode(), salt=salt, n=65536, r=8, p=1, maxmem=128 << 20, dklen=32)
    return Node(key.hex(), passw_hash)


def connect(server=None, context=None):
    """Connects to a world. What is not given comes from PLAYCTL_SERVER, PLAYCTL_NODE_ID with PLAYCTL_PHRASE or
    PLAYCTL_PASSW_HASH, PLAYCTL_API_KEY and PLAYCTL_CONTEXT, then from the credentials file of playctl. Without an
    account, at a host of this machine that lets anybody register, one is made that lasts for this run. In a context
    with an agent but no account, the world has this agent only."""
    env = os.environ.get
    server = server or env("PLAYCTL_SERVER")
    kept = _context(server and server.rstrip("/"), context or env("PLAYCTL_CONTEXT"))
    server = server or kept.get("serverUrl") or "http://127.0.0.1:7420"
    main, own = None, kept.get("mainNode") or {}
    key, agents = own.get("apiKey", kept.get("apiKey")), kept.get("agents") or []
    if own:
        main = Node(own["nodeId"], own["passwHash"])
    if env("PLAYCTL_NODE_ID"):
        if not (env("PLAYCTL_PASSW_HASH") or env("PLAYCTL_PHRASE")):
            raise ValueError("PLAYCTL_NODE_ID also needs PLAYCTL_PHRASE or PLAYCTL_PASSW_HASH")
        named = env("PLAYCTL_NODE_ID").strip().lower()
        if main is None or main.id != named:  # what the file has is another account's
            key, agents = None, []
        main = Node(named, env("PLAYCTL_PASSW_HASH") or hash_phrase(env("PLAYCTL_PHRASE")))
    world = World(server, main, env("PLAYCTL_API_KEY") or key, kept.get("certificateFingerprint"))
    world._known = {a["label"]: Node(a["nodeId"], a["passwHash"]) for a in agents if a.get("label")}
    world._caller = main or next(iter(world._known.values()), None)
    world._begin()
    return world


def _context(server, name):
    """The context of the credentials file: the one named, else the one for the server, else the one in use."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    folder = config if os.path.isabs(config) else os.path.expanduser("~/.config")
    path = os.environ.get("PLAYCTL_CREDENTIALS_FILE") or os.path.join(folder, "playctl", "credentials.json")
    try:
        with open(path, encoding="utf-8") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise ValueError(f'others can read the credentials file {path}: run "chmod 600 {path}"')
            content = json.loads(file.read(8 << 20))
    except FileNotFoundError:
        content = {"version": 1}
    if content.get("version") != 1:
        raise ValueError(f"{path} is no credentials file of this version of playctl")
    contexts, current = content.get("contexts") or {}, content.get("currentContext")
    if name is None and server is None:
        name = current
    elif name is None:
        order = [current, *contexts]
        name = next((n for n in order if n in contexts and contexts[n].get("serverUrl") == server), None)
    elif name not in contexts:
        raise ValueError(f"the credentials file {path} has no context {name!r}")
    return contexts.get(name, {})


class World:
    """A world at a host, as one account sees it; connect() makes it. Leave it with close(), or by "with"."""

    def __init__(self, server, main=None, api_key=None, fingerprint=None):
        url = urllib.parse.urlsplit(server)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("the server is no http or https URL")
        self._url, self._fingerprint = url, fingerprint
        self._main, self._key, self._known, self.sid = main, api_key, {}, ""
        self._caller = main  # the node that reads the world
        self._program = secrets.token_hex(13)
        self._agents, self._lock, self._closed = {}, threading.RLock(), threading.Event()
        self._pool = concurrent.futures.ThreadPoolExecutor(16, "playctl-answer")
        self._threads, self._streams, self._waiting = [], set(), threading.BoundedSemaphore(1024)
        self._listening, self._changed, self._shows = threading.Event(), threading.Event(), False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Removes the agents of this program from the map and ends its threads and streams."""
        self._closed.set()
        self._changed.set()
        with self._lock:
            agents, streams = list(self._agents.values()), list(self._streams)
            self._agents.clear()
        for stream in streams:
            stream.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for thread in self._threads:
            thread.join()
        for agent in agents:
            if agent._due_in() is not None:
                agent._show()
            try:
                self._post("/players/disconnect", {"playerId": agent.id, "connectionId": agent._connection}, agent._node)
            except PlayError as error:
                warn(f"{agent.name} could not be removed from the map; it stays until its lease expires: {error}")

    def snapshot(self):
        """The whole world as the host has it now."""
        return self.rpc("getWorldSnapshot", {})["snapshot"]

    def rpc(self, op, payload, node=None):
        """Calls an operation, which docs/protocol.md lists, as the main node or as an agent's node."""
        return self._post("/sdk/rpc", {"op": op, "payload": payload}, node)

    def events(self, kinds=None, after=None):
        """The events of the world from now on, or those after a seq, for ever: it reconnects and resumes without a
        gap. A session:resync among them says that some are gone: read snapshot() then."""
        for event in Stream(self, kinds, after).all():
            if event is not None:
                yield event

    def agent(self, name, chat=None, tools=None, record=False, kind="python", parent=None, group=None):
        """Puts an agent on the map, which keeps its id from run to run, and answers for it until close(). chat gets
        a Question and gives a text, a dict as result, or texts one by one as a generator; tools are made with
        tool(). record makes a journey, which everybody sees, of each answer. parent is the id of the agent that
        started this one, group what people sort agents by."""
        node = self._known.get(name) or self._agent_node(name)
        tools = {n if n.startswith("assist_") else "assist_" + n: t for n, t in (tools or {}).items()}
        agent = Agent(self, name, node, chat, tools, record, kind, {"parentId": parent, "group": group})
        with self._lock:
            self._agents[agent.id] = agent
            if not self._threads:
                self._start_answering()
        self._listening.wait(15)  # else the first question could be missed
        try:
            agent._register()
        except PlayError:
            with self._lock:
                self._agents.pop(agent.id, None)
            raise
        if chat is not None or tools:
            agent._follow("idle")
        return agent

    def _agent_node(self, name):
        """The node that follows from the account's secret and a name, made where the host has none."""
        if self._main is None:
            return Node(hashlib.sha256(name.encode()).hexdigest(), None)
        secret = hmac.new(self._main.hash.encode(), f"playctl agent {name}".encode(), "sha256").hexdigest()
        node = node_of(secret, self._call("GET", "/api/play/bootstrap")["rootKey"])
        try:
            body = {"kind": "agent", "parentNodeId": self._main.id, "agentNodeId": node.id, "agentNodePasswHash": node.hash}
            self._call("POST", "/api/nodes/agent-node", body)
        except PlayError as error:
            if error.code != "node_exists":
                raise
        return node

    def _begin(self):
        """Finds the session, and creates an account if there is none and the host lets anybody."""
        try:
            self._read_session()
            return
        except PlayError as error:
            if error.status != 401 or self._caller is not None:
                raise
        local = self._url.scheme == "http" and self._url.hostname in ("127.0.0.1", "::1", "localhost")
        open_to = self._call("GET", "/api/play/bootstrap") if local else {}
        if open_to.get("registration") != "open":
            raise PlayError(f'there is no account for {self._url.netloc}: create one with "playctl create-main-node"', 401, "credentials_missing")
        main = node_of(secrets.token_hex(32), open_to["rootKey"])
        made = self._call("POST", "/api/nodes", {"kind": "main", "nodeId": main.id, "passwHash": main.hash})
        self._main, self._caller, self._key = main, main, made.get("apiKey")
        warn('a temporary account was created for this run; "playctl create-main-node" creates a permanent one')
        self._read_session()

    def _read_session(self):
        session = self._call("GET", "/api/play/session")
        self.sid, self._shows = session["sid"], "activity" in session.get("capabilities", [])

    def _post(self, path, body, node=None):
        sid = self.sid
        try:
            return self._call("POST", f"/api/play{path}?sid={sid}", body, node)
        except PlayError as error:
            if error.code != "sid_invalid":
                raise
        self._renew_session(sid)
        return self._call("POST", f"/api/play{path}?sid={self.sid}", body, node)

    def _renew_session(self, sid):
        with self._lock:
            if self.sid != sid:
                return
            self._read_session()
            for agent in self._agents.values():
                agent._due, agent._new = 0, True  # a new session has no agents: they register again

    def _open(self, timeout):
        """A connection to the host. No proxy and no redirect: credentials go to this host only."""
        port = self._url.port
        if self._url.scheme == "http":
            return http.client.HTTPConnection(self._url.hostname, port, timeout=timeout)
        trust = ssl.create_default_context()
        if self._fingerprint:  # this one certificate, whoever signed it
            trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(self._url.hostname, port, timeout=timeout, context=trust)
        connection.connect()
        shown = hashlib.sha256(connection.sock.getpeercert(True)).hexdigest()
        if self._fingerprint and shown != self._fingerprint:
            connection.close()
            raise PlayError("the host's certificate does not match its fingerprint", 0, "certificate")
        return connection

    def _headers(self, node=None):
        node = node or self._caller
        headers = {"x-node-id": node.id, "x-node-passw": node.hash} if node and node.hash else {}
        return headers | ({"x-api-key": self._key} if self._key else {})

    def _call(self, method, path, body=None, node=None, patience=PATIENCE):
        """One request, tried again while its outcome is open: the key makes a repeat change nothing twice."""
        headers = self._headers(node) | {"accept": "application/json"}
        if body is not None:
            headers |= {"content-type": "application/json", "idempotency-key": secrets.token_hex(16)}
        # Names of files may have bytes that are no text; they become question marks.
        text = None if body is None else json.dumps(body, ensure_ascii=False).encode(errors="replace")
        end, wait = time.monotonic() + patience, 0.2
        while True:
            try:
                return self._try(method, path, text, headers)
            except PlayError as error:
                later = error.status in (0, 429, 500, 502, 503, 504) and error.code not in ("certificate", "repository_off")
                if not later or time.monotonic() + wait > end or self._closed.wait(wait * random.uniform(0.5, 1)):
                    raise
            wait = min(wait * 2, 5)

    def _try(self, method, path, text, headers):
        connection = None
        try:
            connection = self._open(30)
            connection.request(method, self._url.path.rstrip("/") + path, text, headers)
            reply = connection.getresponse()
            content = reply.read(LONGEST_REPLY)
        except (OSError, http.client.HTTPException) as error:
            raise PlayError(f"{self._url.netloc} does not answer: {type(error).__name__}") from error
        finally:
            if connection is not None:
                connection.close()
        return _read(reply, content)

    def _start_answering(self):
        for run in (self._keep, self._listen, self._show):
            self._threads.append(threading.Thread(target=self._watched, args=(run,), name="playctl" + run.__name__, daemon=True))
            self._threads[-1].start()

    def _watched(self, run):
        while not self._closed.is_set():
            try:
                run()
            except PlayError as error:
                warn(f"agents may miss questions until this is mended: {error}")
                self._closed.wait(5)

    def _keep(self):
        """Renews the leases, each after a third of its term."""
        while not self._closed.wait(0.5):
            with self._lock:
                due = [agent for agent in self._agents.values() if agent._due is not None and agent._due <= time.monotonic()]
            for agent in due:
                agent._renew()

    def _show(self):
        """Sends what the agents do, the newest of each when it is due."""
        while not self._closed.is_set():
            with self._lock:
                agents = list(self._agents.values())
            for agent in agents:
                if (due := agent._due_in()) is not None and due <= 0:
                    agent._show()
            self._changed.wait(min((due for agent in agents if (due := agent._due_in()) is not None), default=None))
            self._changed.clear()

    def _listen(self):
        """Reads the questions for this program's agents."""
        seen = collections.OrderedDict()
        for event in Stream(self, None, None, {"answers": "connection:" + self._program}).all():
            if event is None:
                self._listening.set()
                continue
            if event.kind == "session:reset" and event.data["sid"] != self.sid:
                self._renew_session(self.sid)
            if event.kind != "world:intercom" or event.data.get("status") != "forwarded":
                continue
            command = event.data["command"]
            agent = self._agents.get(event.data["fromPlayerId"])
            if agent is None or command["requestId"] in seen:
                continue
            seen[command["requestId"]] = True
            if len(seen) > 1 << 14:
                seen.popitem(last=False)
            self._waiting.acquire()  # past its count the stream is not read, and questions stay at the host
            try:
                self._pool.submit(agent._answer, command).add_done_callback(lambda _: self._waiting.release())
            except RuntimeError:  # the world was closed
                return


class Question:
    """What an agent is asked: text of a chat, else the tool's name and its args."""

    def __init__(self, agent, command):
        self.agent, self.sender, self._command = agent, command["fromPlayerId"], command
        self.text, self.tool, self.args = command.get("text", ""), command.get("toolName"), command.get("args") or {}
        self.steps = [_said("origin", self.text or self.tool or "")]
        self.parts = ""

    def stream(self, text):
        """Sends a part of the answer."""
        self.parts += text
        self._respond("stream", message=text)

    def step(self, tool, args, result=None):
        """Adds a tool call to the journey that record makes of this answer."""
        self.steps.append({"type": "structure", "toolName": tool, "toolCallId": secrets.token_hex(8), "args": args} | ({} if result is None else {"result": result}))

    def _respond(self, status, **fields):
        c = self._command
        answer = {"requestId": c["requestId"], "mainNodeId": c["mainNodeId"], "toPlayerId": c["fromPlayerId"], "fromPlayerId": c["toPlayerId"]}
        named = {"toolName": self.tool} if self.tool else {}
        self.agent._world.rpc("intercomResponse", answer | named | {"kind": c["kind"], "status": status, "ts": now()} | fields, self.agent._node)


class Agent:
    """An agent of this program; World.agent makes it."""

    def __init__(self, world, name, node, chat, tools, record, kind, place):
        self.id, self.name = node.id, name
        self._world, self._node, self._chat, self._tools, self._record = world, node, chat, tools, record
        self._connection = f"{world._program}-{secrets.token_hex(8)}"
        self._due, self._new, self._failures = None, True, 0
        self._doing, self._shown, self._sent, self._held = {}, {}, -10.0, 0.0  # what it does, what the host has of that, and when
        self._says, self._asked = False, []
        forms = [{"name": n, "description": t.description, "parameters": t.parameters} for n, t in tools.items()]
        self._row = {"name": name, "type": kind, "agent": {"type": kind, "toolNames": ["chat_tool", *tools], "assistTools": forms}}
        self._row |= {key: value for key, value in place.items() if value is not None}
        self._row |= {"agentId": node.id, "connectionId": self._connection} | ({"mainNodeId": world._main.id} if world._main else {})

    def say(self, text, role="assistant"):
        """Records a line, which everybody in the world sees; role is user, assistant or tool."""
        self._world.rpc("recordInteraction", {"playerId": self.id, "role": role, "text": text}, self._node)

    def record_journey(self, steps, started=None):
        """Records a journey of steps, which docs/recording.md describes; started is a time as now() gives it."""
        journey = {"steps": steps, "startedAt": started or now(), "completedAt": now()}
        self._world.rpc("recordJourney", {"playerId": self.id, "journey": journey}, self._node)

    def working(self, text="", tool=None, usage=None):
        """Shows everybody that the agent is at work: one line for people, and the tool in use. This and the next four
        return at once and replace what the agent shows by itself while it answers. The newest is sent, at most one a
        second; usage is a dict of totals of the present run, and stays: inputTokens, outputTokens, costUsd, toolCalls
        and errors."""
        self._say("working", text, tool, usage)

    def waiting(self, text="", tool=None, usage=None):
        """Shows that the agent waits for a person."""
        self._say("waiting", text, tool, usage)

    def idle(self, text="", tool=None, usage=None):
        """Shows that the agent has nothing to do."""
        self._say("idle", text, tool, usage)

    def done(self, text="", tool=None, usage=None):
        """Shows that the agent finished what it was asked."""
        self._say("done", text, tool, usage)

    def failed(self, text="", tool=None, usage=None):
        """Shows that the agent could not do what it was asked."""
        self._say("failed", text, tool, usage)

    def usage(self, **totals):
        """Replaces what the present run has used: usage(inputTokens=1200, outputTokens=80); without totals it is removed."""
        self._change(usage=_checked(totals))

    def _say(self, state, text, tool, usage):
        if not isinstance(text, str) or not isinstance(tool, (str, type(None))):
            raise TypeError("the text and the tool are str")
        more = {} if usage is None else {"usage": _checked(usage)}
        self._says = True
        self._change(state=state, text=_line(text, 200), toolName=_line(tool or "", 128), **more)

    def _change(self, **fields):
        with self._world._lock:
            self._doing = self._doing | fields
        self._world._changed.set()

    def _follow(self, state, text="", tool=""):
        """Shows what follows from questions, unless the program says what the agent does."""
        if not self._says:
            self._change(state=state, text=_line(text, 200), toolName=_line(tool, 128))

    def _due_in(self):
        """The seconds until what the agent does is due; None if the host has it."""
        new, old = self._doing, self._shown
        if "state" not in new or new == old or self._new or not self._world._shows:
            return None
        only_usage = {**new, "usage": None} == {**old, "usage": None}
        gap = 10 if only_usage else 0 if new["state"] in ("waiting", "done", "failed") else 1
        return max(self._sent + gap, self._held) - time.monotonic()

    def _show(self):
        new, self._sent = self._doing, time.monotonic()
        body = {"playerId": self.id, "connectionId": self._connection} | {key: value for key, value in new.items() if value}
        try:
            path = f"/api/play/sdk/rpc?sid={self._world.sid}"
            self._world._call("POST", path, {"op": "recordActivity", "payload": body}, self._node, patience=0)
        except PlayError as error:
            if error.status in (0, 408, 429, 500, 502, 503, 504) or error.code in ("sid_invalid", "lease_unknown", "player_unknown"):
                self._held = time.monotonic() + (min(error.retry_after, 300) or 5)  # by then the agent may be registered again
                return
            warn(f"what {self.name} does was not recorded: {error}")
        self._shown = new

    def _register(self):
        reply = self._world._post("/players", self._row, self._node)
        self._due, self._new = time.monotonic() + (reply.get("leaseTtlSeconds") or 45) / 3, False
        self._shown, self._held = {}, 0.0
        self._world._changed.set()

    def _renew(self):
        try:
            if not self._new:
                reply = self._world._post("/players/heartbeat", {"playerId": self.id, "connectionId": self._connection}, self._node)
                self._due = time.monotonic() + (reply.get("leaseTtlSeconds") or 45) / 3
            if self._new:
                self._register()
            self._failures = 0
        except PlayError as error:
            if error.code in ("lease_unknown", "player_unknown"):
                self._new, self._due = True, 0
            elif error.status in (401, 403):
                self._due = None
                warn(f"{self.name} cannot be kept on the map: {error}")
            else:
                self._failures = min(self._failures + 1, 4)
                self._due = time.monotonic() + 2**self._failures

    def _answer(self, command):
        question, started = Question(self, command), now()
        self._asked.append(question)
        self._follow("working", tool=question.tool or "")
        failure = ""
        try:
            answer = self._run(question)
            end = {"result": answer} if isinstance(answer, dict) else {"message": str(answer)}
            question.steps.append(_said("destination", end.get("message") or json.dumps(answer)))
        except Exception as error:  # the reason of what is no ToolError is the developer's, not the asker's
            if not isinstance(error, ToolError):
                warn(f"{self.name} failed to answer: {error!r}")
            failure = type(error).__name__  # its text may be private
            end = {"error": (str(error) if isinstance(error, ToolError) else "") or "something went wrong"}
        self._asked.remove(question)
        if self._asked:
            self._follow("working", tool=self._asked[-1].tool or "")
        else:
            self._follow("failed" if failure else "done", failure)
        try:
            if self._record and "error" not in end:
                self.record_journey(question.steps, started)
            question._respond("failed" if "error" in end else "completed", **end)
        except (PlayError, TypeError, ValueError) as error:
            warn(f"the answer of {self.name} was not sent: {error}")

    def _run(self, question):
        if question.tool in self._tools and question._command["kind"] == "assist":
            answer = self._tools[question.tool].run(**question.args)
            question.step(question.tool, question.args, answer)
            return answer if isinstance(answer, (dict, str)) else json.dumps(answer)
        if self._chat is None or question._command["kind"] != "chat":
            raise ToolError(f"{self.name} does not do that")
        answer = self._chat(question)
        if hasattr(answer, "__next__"):
            for part in answer:
                question.stream(part)
            answer = None
        return question.parts if answer is None else answer


class Stream:
    """An event stream that reconnects, and resumes after the last event."""

    def __init__(self, world, kinds, after, query=None):
        self._world, self._kinds, self._after, self._query = world, kinds and set(kinds), after, query or {}
        self._sock, self._retry, self._stopped = None, 2.0, threading.Event()

    def stop(self):
        """Ends the stream, also while another thread waits for an event."""
        self._stopped.set()
        if self._sock is not None:
            try:
                self._sock.shutdown(2)
            except OSError:
                pass

    def all(self):
        """Gives the events; None stands for a stream that is open."""
        failures, world = 0, self._world
        with world._lock:
            world._streams.add(self)
        try:
            while not (self._stopped.is_set() or world._closed.is_set()):
                try:
                    for event in self._read():
                        failures = 0
                        yield event
                except (PlayError, OSError, ValueError, http.client.HTTPException) as error:
                    failures += 1
                    refused = isinstance(error, PlayError) and 400 <= error.status < 500 and error.status != 429
                    if refused and error.code != "sid_invalid":
                        raise
                    if refused:
                        world._renew_session(world.sid)
                self._stopped.wait(min(self._retry * 2 ** min(failures, 4), 30) * random.uniform(0.1, 1))
        finally:
            world._streams.discard(self)

    def _read(self):
        world = self._world
        connection = world._open(SILENCE)
        try:
            connection.connect() if connection.sock is None else None
            self._sock = connection.sock
            headers = world._headers() | {"accept": "text/event-stream", "cache-control": "no-store"}
            if self._after is not None:
                headers["last-event-id"] = str(self._after)
            query = urllib.parse.urlencode({"sid": world.sid} | self._query)
            connection.request("GET", f"{world._url.path.rstrip('/')}/api/play/events?{query}", headers=headers)
            reply = connection.getresponse()
            if reply.status != 200:
                _read(reply, reply.read(LONGEST_REPLY))
            yield from self._frames(reply)
        finally:
            connection.close()

    def _frames(self, reply):
        frame, opened = {}, False
        while not self._stopped.is_set():
            line = reply.readline(LONGEST_REPLY)
            if not line.endswith(b"\n"):
                return  # the end; a frame that is cut off does not count
            name, _, value = line.decode().rstrip("\r\n").partition(":")
            if name:
                frame[name] = value.removeprefix(" ")
                continue
            if frame.get("retry", "").isdigit():
                self._retry = min(int(frame["retry"]), 30000) / 1000
            if frame.get("id", "").isdigit():
                self._after = int(frame["id"])
                if not opened:
                    opened = True
                    yield None
            if "data" in frame and (self._kinds is None or frame.get("event") in self._kinds or frame.get("event") == "session:resync"):
                yield Event(self._after, frame.get("event"), json.loads(frame["data"]))
            frame = {}


def now():
    """This moment as the protocol writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _line(text, most):
    return " ".join(text.split())[:most].strip()


def _checked(usage):
    for name, number in usage.items():
        if name not in ("inputTokens", "outputTokens", "costUsd", "toolCalls", "errors"):
            raise ValueError(f"a usage has no {name}")
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= sys.float_info.max:
            raise ValueError(f"{name} is no number from 0")
    return dict(usage)


def warn(text):
    """Prints what goes wrong where nobody waits for it; a program may replace it."""
    print("playctl: " + text, file=sys.stderr)


def _said(kind, text):
    return {"type": kind, "content": text, "messageId": secrets.token_hex(8)}


def _read(reply, content):
    try:
        body = json.loads(content or b"{}")
    except ValueError:
        body = {}
    if 200 <= reply.status < 300:
        return body
    raise PlayError(body.get("error", f"the host refused: status {reply.status}"), reply.status, body.get("code", ""), body.get("requestId", ""),
                    int(after) if (after := reply.getheader("retry-after") or "").isdigit() else 0)
