package host

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// An error that a client causes, or that follows from the configuration, is not a
// failure: a client could fill the log with it, and waiting does not change the
// configuration.
func TestExpectedErrorsAreNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		f := newFixture(t, func(s *setup) {
			s.host.NoRepository, s.world.NoRepository = true, true
			s.host.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		})
		off := f.get(protocol.PathNodes)
		off.refused(protocol.CodeRepositoryOff)
		if after := off.header.Get("Retry-After"); after != "" {
			t.Errorf("%s has Retry-After %q, but a retry cannot succeed", off.what, after)
		}
		behind := f.get("/api/play/session", with(protocol.HeaderMinRev, "1000"))
		behind.refused(protocol.CodeBehind)
		if behind.header.Get("Retry-After") == "" {
			t.Errorf("%s has no Retry-After", behind.what)
		}
		if logged.Len() > 0 {
			t.Errorf("the log has %s", logged.String())
		}
	})
}

// An unreachable store is logged for the operator, with the request id that the client got.
func TestUnreachableStoreIsLogged(t *testing.T) {
	var logged bytes.Buffer
	journal := &brokenJournal{}
	f := newFixture(t, func(s *setup) {
		journal.Journal, s.journal = s.journal, journal
		s.host.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	})
	main := f.main()
	agent := f.agent(main)
	journal.broken.Store(true)
	reported := f.post(f.play("/players"), registration(agent.id), as(agent)).refused(protocol.CodeStoreUnavailable)
	line := logged.String()
	for _, part := range []string{"level=ERROR", "requestId=" + reported.RequestID, "code=store_unavailable", "the disk is gone"} {
		if !strings.Contains(line, part) {
			t.Errorf("the log lacks %s: %s", part, line)
		}
	}
}

// While the store is unreachable every request fails: the log has one line a second
// for each code, with the number of failures since the last one.
func TestFailedRequestsDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var logged []string
		journal := &brokenJournal{}
		f := newFixture(t, func(s *setup) {
			journal.Journal, s.journal = s.journal, journal
			s.host.Logger = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				if strings.Contains(string(b), `msg="a request failed"`) {
					logged = append(logged, string(b))
				}
				return len(b), nil
			}), nil))
		})
		main := f.main()
		agent := f.agent(main)
		journal.broken.Store(true)
		fail := func() (lines []string) {
			for range 5 {
				f.post(f.play("/players"), registration(agent.id), as(agent)).refused(protocol.CodeStoreUnavailable)
			}
			mu.Lock()
			defer mu.Unlock()
			lines, logged = logged, nil
			return lines
		}
		if lines := fail(); len(lines) != 1 || strings.Contains(lines[0], "more=") {
			t.Errorf("the log of the first failures is %q", lines)
		}
		// Another code has lines of its own.
		if more, line := f.host.failures.next(protocol.CodeInternal, time.Now()); more != 0 || !line {
			t.Errorf("another code starts with %d failures, first one logged: %t", more, line)
		}
		<-time.After(failurePause)
		if lines := fail(); len(lines) != 1 || !strings.HasSuffix(lines[0], " more=4\n") {
			t.Errorf("a second later the log has %q", lines)
		}
		<-time.After(failurePause - 1)
		if lines := fail(); len(lines) != 0 {
			t.Errorf("within the second the log has %q", lines)
		}
	})
}
