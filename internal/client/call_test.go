package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

const (
	rpcRoute     = "POST /api/play/sdk/rpc"
	sessionRoute = "GET /api/play/session"
)

func record(t *testing.T, c *Client) error {
	t.Helper()
	_, err := c.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{PlayerID: "p", Role: "user", Text: "hi"})
	return err
}

func TestCallSendsCredentials(t *testing.T) {
	h := newTestHost(t, map[string]answer{"POST /api/play/mcp/register": ok(`{"id":"m1"}`)})
	c := newTestClient(t, h)
	r, err := c.RegisterMCP(t.Context(), protocol.MCPRegisterRequest{Name: "tools"})
	if err != nil || r.ID != "m1" {
		t.Fatalf("RegisterMCP = %v, %v", r, err)
	}
	got := h.of("POST /api/play/mcp/register")[0]
	if got.sid != testSID || got.body != `{"name":"tools"}` {
		t.Errorf("sid %q, body %s", got.sid, got.body)
	}
	for name, want := range map[string]string{
		"x-node-id": strings.Repeat("ab", 32), "x-node-passw": testHash, "x-api-key": testKey, "content-type": "application/json",
	} {
		if got.header.Get(name) != want {
			t.Errorf("header %s is %q", name, got.header.Get(name))
		}
	}
	if n := len(h.of(sessionRoute)); n != 1 {
		t.Errorf("the session was fetched %d times", n)
	}
}

func TestAsSharesSession(t *testing.T) {
	h := newTestHost(t, map[string]answer{"POST /api/play/players/disconnect": ok(`{"ok":true}`)})
	c := newTestClient(t, h)
	agent := c.As(Credentials{NodeID: "agent", Hash: testHashValue(t)}).WithAPIKey(protocol.NewSecret("pk_another-key"))
	for _, caller := range []*Client{c, agent} {
		if _, err := caller.Disconnect(t.Context(), protocol.DisconnectRequest{PlayerID: "p"}); err != nil {
			t.Fatal(err)
		}
	}
	got := h.of("POST /api/play/players/disconnect")
	if got[1].header.Get("x-node-id") != "agent" || got[1].header.Get("x-api-key") != "pk_another-key" {
		t.Errorf("the agent's call sends %v", got[1].header)
	}
	if got[0].header.Get("x-api-key") != testKey || len(h.of(sessionRoute)) != 1 {
		t.Error("the main node's client changed, or the session was fetched again")
	}
}

// A write whose outcome is unknown is repeated with the key and the body of the
// first attempt; the next call has another key.
func TestUnknownOutcomeIsRetriedWithSameKey(t *testing.T) {
	for name, failure := range map[string]answer{
		"no answer": drop, "store_unavailable": refuse(protocol.CodeStoreUnavailable), "internal": refuse(protocol.CodeInternal),
		"a proxy's page": func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusBadGateway) },
		"half an answer": func(w http.ResponseWriter, _ int) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"ok":`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHost(t, map[string]answer{rpcRoute: sequence(failure, failure, ok(`{"ok":true,"seq":7}`))})
			c := newTestClient(t, h)
			for range 2 {
				if err := record(t, c); err != nil {
					t.Fatal(err)
				}
			}
			got := h.of(rpcRoute)
			if len(got) != 4 {
				t.Fatalf("%d requests, want 4", len(got))
			}
			if got[0].key() == "" || got[1].key() != got[0].key() || got[2].key() != got[0].key() {
				t.Errorf("keys of one call: %q %q %q", got[0].key(), got[1].key(), got[2].key())
			}
			if got[3].key() == got[0].key() {
				t.Error("the next call has the same key")
			}
			if got[2].body != got[0].body || got[2].body == "" {
				t.Errorf("bodies: %q, %q", got[0].body, got[2].body)
			}
		})
	}
}

func TestRefusalIsNotRetried(t *testing.T) {
	for _, code := range []protocol.Code{
		protocol.CodeBodyInvalid, protocol.CodePlayerUnknown, protocol.CodeCredentialsInvalid, protocol.CodeForbidden,
		protocol.CodeIdempotencyConflict, protocol.CodeRepositoryOff, protocol.CodeRecordDamaged,
	} {
		h := newTestHost(t, map[string]answer{rpcRoute: refuse(code)})
		err := record(t, newTestClient(t, h))
		var refused *protocol.Error
		if !errors.As(err, &refused) || refused.Code != code || refused.RequestID != "req-1" || refused.Status() != protocol.Status(code) {
			t.Errorf("%s: %#v", code, err)
		}
		if n := len(h.of(rpcRoute)); n != 1 {
			t.Errorf("%s: %d requests", code, n)
		}
	}
}

// A host without idempotency keys would record the line twice.
func TestUnknownOutcomeWithoutIdempotencyIsReported(t *testing.T) {
	h := newTestHost(t, map[string]answer{sessionRoute: sessionOf(testSID), rpcRoute: drop})
	err := record(t, newTestClient(t, h))
	if !errors.Is(err, ErrUnreachable) {
		t.Errorf("got %v, want ErrUnreachable", err)
	}
	if n := len(h.of(rpcRoute)); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	// A repeated disconnect has the same effect.
	h.routes["POST /api/play/players/disconnect"] = sequence(drop, ok(`{"ok":true}`))
	if _, err := newTestClient(t, h).Disconnect(t.Context(), protocol.DisconnectRequest{PlayerID: "p"}); err != nil {
		t.Errorf("disconnect: %v", err)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	h := newTestHost(t, map[string]answer{rpcRoute: refuse(protocol.CodeStoreUnavailable)})
	if err := record(t, newTestClient(t, h)); !protocol.HasCode(err, protocol.CodeStoreUnavailable) {
		t.Errorf("got %v", err)
	}
	if n := len(h.of(rpcRoute)); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

// The first request deleted the node, but its reply was lost: the repeat's
// credentials are invalid, which is the intended result.
func TestRetriedSelfDeletionAccepts401(t *testing.T) {
	h := newTestHost(t, map[string]answer{"DELETE /api/nodes": sequence(drop, refuse(protocol.CodeCredentialsInvalid))})
	c := newTestClient(t, h)
	r, err := c.DeleteNode(t.Context(), c.Node())
	if err != nil || !r.OK {
		t.Errorf("DeleteNode = %v, %v", r, err)
	}
	h = newTestHost(t, map[string]answer{"DELETE /api/nodes": refuse(protocol.CodeCredentialsInvalid)})
	if _, err := newTestClient(t, h).DeleteNode(t.Context(), c.Node()); !protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
		t.Errorf("a first 401 = %v", err)
	}
	h = newTestHost(t, map[string]answer{"DELETE /api/nodes": sequence(drop, refuse(protocol.CodeCredentialsInvalid))})
	if _, err := newTestClient(t, h).DeleteNode(t.Context(), "another"); !protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
		t.Errorf("the 401 of another's deletion = %v", err)
	}
}

// A client reads at the rev of its last write or a later one, until the session
// ends: a host without a store then counts from the start.
func TestReadsIncludeOwnWrites(t *testing.T) {
	wrote := func(w http.ResponseWriter, n int) {
		w.Header().Set("x-play-rev", "41")
		ok(`{"ok":true}`)(w, n)
	}
	h := newTestHost(t, map[string]answer{
		sessionRoute: sequence(sessionOf("one"), sessionOf("two")),
		rpcRoute:     sequence(wrote, ok(`{"snapshot":{}}`), refuse(protocol.CodeBehind), ok(`{"snapshot":{}}`)),
	})
	c := newTestClient(t, h)
	if err := record(t, c); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := c.WorldSnapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := h.of(rpcRoute)
	for i, want := range []string{"", "41", "41", ""} {
		if rev := got[i].header.Get("x-play-min-rev"); rev != want {
			t.Errorf("request %d asks for rev %q, want %q", i, rev, want)
		}
	}
	for _, r := range h.of(sessionRoute) {
		if r.header.Get("x-play-min-rev") != "" {
			t.Error("the session is requested from a rev: a restarted host could never return it")
		}
	}
}

// A read at another host must include the state that a write was refused for.
func TestReadsIncludeStateOfRefusals(t *testing.T) {
	refused := func(w http.ResponseWriter, n int) {
		w.Header().Set("x-play-rev", "43")
		refuse(protocol.CodePlayerUnknown)(w, n)
	}
	h := newTestHost(t, map[string]answer{rpcRoute: sequence(refused, ok(`{"snapshot":{}}`))})
	c := newTestClient(t, h)
	if err := record(t, c); !protocol.HasCode(err, protocol.CodePlayerUnknown) {
		t.Fatal(err)
	}
	if _, _, err := c.WorldSnapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rev := h.of(rpcRoute)[1].header.Get("x-play-min-rev"); rev != "43" {
		t.Errorf("the read asks for rev %q, want 43", rev)
	}
}

// A host, or a proxy in front of it, must not be able to send credentials
// to another machine.
func TestCredentialsDoNotFollowRedirect(t *testing.T) {
	other := newTestHost(t, map[string]answer{rpcRoute: ok(`{"ok":true}`)})
	h := newTestHost(t, map[string]answer{rpcRoute: func(w http.ResponseWriter, _ int) {
		w.Header().Set("Location", other.URL+"/api/play/sdk/rpc")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}})
	err := record(t, newTestClient(t, h))
	if !errors.Is(err, ErrReply) || !strings.Contains(err.Error(), other.URL) {
		t.Errorf("got %v", err)
	}
	if n := len(other.of(rpcRoute)); n != 0 {
		t.Errorf("the other machine got %d requests", n)
	}
}

// A host that repeats a request's secrets in an error does not get them into a log.
func TestErrorsContainNoSecret(t *testing.T) {
	echo := func(w http.ResponseWriter, _ int) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":"bad %s and %s","code":"%s","requestId":"%s"}`, testHash, testKey, testAdmin, testHash)
	}
	h := newTestHost(t, map[string]answer{rpcRoute: echo, "POST /api/nodes/validate": echo})
	c, err := New(Options{
		BaseURL: h.URL, Credentials: Credentials{NodeID: "n", Hash: testHashValue(t)},
		APIKey: protocol.NewSecret(testKey), AdminToken: protocol.NewSecret(testAdmin), RegistrationToken: protocol.NewSecret("pt_registration"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, invalid := c.ValidateNode(t.Context(), protocol.ValidateRequest{})
	for _, err := range []error{record(t, c), invalid} {
		text := fmt.Sprintf("%v %+v %#v", err, err, err)
		for _, secret := range []string{testHash, testKey, testAdmin} {
			if strings.Contains(text, secret) {
				t.Errorf("the error contains %q: %s", secret, text)
			}
		}
	}
	if got := h.of(rpcRoute)[0].header.Get("authorization"); got != "Bearer "+testAdmin {
		t.Errorf("authorization is %q", got)
	}
}

func TestInvalidRepliesAreRefused(t *testing.T) {
	long := `{"ok":true,"pad":"` + strings.Repeat("x", smallReply) + `"}`
	for name, body := range map[string]string{
		"no JSON": "<html>", "empty": "", "too long": long, "wrong type": `{"seq":"many"}`, "two": `{"ok":true}{"ok":true}`,
	} {
		h := newTestHost(t, map[string]answer{rpcRoute: ok(body)})
		if err := record(t, newTestClient(t, h)); !errors.Is(err, ErrReply) {
			t.Errorf("%s: %v, want ErrReply", name, err)
		}
	}
	h := newTestHost(t, map[string]answer{sessionRoute: ok(`{}`)})
	if _, err := newTestClient(t, h).Session(t.Context()); !errors.Is(err, ErrReply) {
		t.Errorf("a session without sid: %v", err)
	}
}

func TestUnreachableHost(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	h.Close()
	c, err := New(Options{BaseURL: h.URL, Retry: retry.Policy{Attempts: 2, Backoff: retry.Backoff{First: 1, Max: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Session(t.Context())
	var gone *UnreachableError
	if !errors.As(err, &gone) || gone.Sent || gone.Host != h.URL || !errors.Is(err, ErrUnreachable) {
		t.Errorf("got %#v", err)
	}
}

func TestHostTimeout(t *testing.T) {
	hang := func(w http.ResponseWriter, _ int) {
		// The handler ends when the client closes the connection.
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = buffered.ReadByte()
			_ = conn.Close()
		}
	}
	h := newTestHost(t, map[string]answer{sessionRoute: hang})
	c := newTestClient(t, h)
	c.timeout = 20 * time.Millisecond
	c.retry.Attempts = 1
	_, err := c.Session(t.Context())
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "in time") {
		t.Errorf("an attempt's timeout: %v", err)
	}
	c.timeout = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Session(ctx); !errors.Is(err, ErrUnreachable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's timeout: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := c.Session(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnreachable) {
		t.Errorf("a cancellation: %v", err)
	}
}

func TestValidateNode(t *testing.T) {
	h := newTestHost(t, map[string]answer{"POST /api/nodes/validate": sequence(
		ok(`{"ok":true,"nodeKind":"main"}`),
		func(w http.ResponseWriter, _ int) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"ok":false,"reason":"derivative mismatch","nodeKind":"main"}`)
		},
		refuse(protocol.CodeBodyInvalid),
	)})
	c := newTestClient(t, h)
	if r, err := c.ValidateNode(t.Context(), protocol.ValidateRequest{}); err != nil || !r.OK || r.NodeKind != "main" {
		t.Errorf("good: %v, %v", r, err)
	}
	if r, err := c.ValidateNode(t.Context(), protocol.ValidateRequest{}); err != nil || r.OK || r.Reason != protocol.ReasonDerivativeMismatch {
		t.Errorf("negative: %v, %v", r, err)
	}
	if _, err := c.ValidateNode(t.Context(), protocol.ValidateRequest{}); !protocol.HasCode(err, protocol.CodeBodyInvalid) {
		t.Errorf("refused: %v", err)
	}
}

// Every op's request has the envelope of the contract.
func TestChainReadsSendRev(t *testing.T) {
	h := newTestHost(t, map[string]answer{rpcRoute: ok(`{"nodes":[],"rev":9,"merkleRootHex":"","merkleLeafCount":2}`)})
	c := newTestClient(t, h)
	if _, err := c.ChainNodes(t.Context(), []string{"__header__"}, At{Rev: 9, Set: true}); err != nil {
		t.Fatal(err)
	}
	got := h.of(rpcRoute)[0]
	var body map[string]any
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"op": "getPlayerChainNodes", "payload": map[string]any{"stableKeys": []any{"__header__"}, "atRev": 9.0}}
	if fmt.Sprint(body) != fmt.Sprint(want) || got.header.Get("x-play-min-rev") != "9" || got.sid != "" {
		t.Errorf("body %v, headers %v", body, got.header)
	}
}
