package world

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// invite creates an invitation and returns its digest.
func invite(t *testing.T, w *World, caller Caller, token string, uses int) [32]byte {
	t.Helper()
	digest := sha256.Sum256([]byte(token))
	request := protocol.InviteRequest{ExpiresInSeconds: protocol.DefaultInvitationSeconds, Uses: uses}
	if _, err := w.Do(context.Background(), Request{Caller: caller}, Invite{InviteRequest: request, Digest: digest, Token: protocol.NewSecret(token)}); err != nil {
		t.Fatal(err)
	}
	return digest
}

func (f *fixture) join(name string, digest [32]byte) error {
	_, err := f.try("", CreateMainNode{NodeID: id(name), Invitation: &digest})
	return err
}

// TestInvitationUsesAreNotExceeded lets many callers use one invitation concurrently,
// at several hosts: exactly as many succeed as the invitation allows.
func TestInvitationUsesAreNotExceeded(t *testing.T) {
	c := openCluster(t, 3)
	defer c.close()
	const uses, callers = 3, 24
	digest := invite(t, c.worlds[0], Caller{Admin: true}, "token", uses)
	errs := make([]error, callers)
	var wait sync.WaitGroup
	for n := range callers {
		wait.Go(func() {
			_, errs[n] = c.do(n%len(c.worlds), "", CreateMainNode{NodeID: id(fmt.Sprint("guest", n)), Invitation: &digest})
		})
	}
	wait.Wait()
	registered := 0
	for _, err := range errs {
		if err == nil {
			registered++
		} else if !protocol.HasCode(err, protocol.CodeInvitationUsed) {
			t.Error(err)
		}
	}
	if registered != uses {
		t.Errorf("%d callers registered, want %d", registered, uses)
	}
	c.agree()
	for i, w := range c.worlds {
		if got := w.Registry().Invitation(digest); got == nil || got.Used != uses {
			t.Errorf("the invitation at host %d is %+v", i, got)
		}
	}
}

func TestInvitationSurvivesRestartAndIsDroppedLater(t *testing.T) {
	f := open(t)
	digest := invite(t, f.World, Caller{Admin: true}, "token", 2)
	if err := f.join("one", digest); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	// A refused creation does not use up the invitation.
	if err := f.join("one", digest); !protocol.HasCode(err, protocol.CodeNodeExists) {
		t.Errorf("the same node again: %v", err)
	}
	if got := f.Registry().Invitation(digest); got == nil || got.Used != 1 {
		t.Errorf("after a restart the invitation is %+v", got)
	}
	f.clock.Advance(24 * time.Hour)
	f.sweep()
	if err := f.join("two", digest); !protocol.HasCode(err, protocol.CodeInvitationExpired) {
		t.Errorf("after its term: %v", err)
	}
	f.clock.Advance(endedInvitationTerm)
	f.sweep()
	if err := f.join("two", digest); !protocol.HasCode(err, protocol.CodeRegistrationClosed) {
		t.Errorf("after it was dropped: %v", err)
	}
	for pair, err := range f.journal.Scan(context.Background(), store.Invitations, store.Range{}) {
		t.Errorf("the store still has %q, %v", pair.Key, err)
	}
}

func TestInvitationLimits(t *testing.T) {
	f := open(t)
	if l := f.Limits(); l.Invitations != 50 || l.TotalInvitations != 1000 {
		t.Errorf("the default limits are %d and %d invitations, want 50 and 1,000", l.Invitations, l.TotalInvitations)
	}
	f.stop()
	f.options.Limits.Invitations, f.options.Limits.TotalInvitations = 4, 7
	f.start()
	owner := Caller{NodeID: f.main("owner")}
	for n := range 4 {
		invite(t, f.World, owner, fmt.Sprint("own", n), 1)
	}
	one := Invite{InviteRequest: protocol.InviteRequest{ExpiresInSeconds: 60, Uses: 1}, Digest: sha256.Sum256([]byte("more"))}
	if _, err := f.try(owner.NodeID, one); !protocol.HasCode(err, protocol.CodeInvitationLimit) {
		t.Errorf("beyond the account's limit: %v", err)
	}
	var last [32]byte
	for n := range 3 {
		last = invite(t, f.World, Caller{Admin: true}, fmt.Sprint("n", n), 1)
	}
	admin := Request{Caller: Caller{Admin: true}}
	if _, err := f.Do(context.Background(), admin, one); !protocol.HasCode(err, protocol.CodeInvitationLimit) {
		t.Errorf("beyond the world's limit: %v", err)
	}
	// A used-up invitation makes room for a new one.
	if err := f.join("guest", last); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Do(context.Background(), admin, one); err != nil {
		t.Error(err)
	}
	if f.Registry().Invitation(last) != nil {
		t.Error("the used invitation was not dropped")
	}
}

// Of the invitations that are used up or expired, the oldest are dropped first.
func TestOldestEndedInvitationIsDroppedFirst(t *testing.T) {
	f := open(t)
	f.stop()
	const most = 20
	f.options.Limits.TotalInvitations = most
	f.start()
	var digests [][32]byte
	for n := range most {
		digests = append(digests, invite(t, f.World, Caller{Admin: true}, fmt.Sprint("n", n), 1))
		if err := f.join(fmt.Sprint("guest", n), digests[n]); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(time.Second)
	}
	for n := range 3 {
		invite(t, f.World, Caller{Admin: true}, fmt.Sprint("more", n), 1)
		for i, digest := range digests {
			if there := f.Registry().Invitation(digest) != nil; there != (i > n) {
				t.Errorf("after %d new ones invitation %d is kept: %v", n+1, i, there)
			}
		}
	}
}
