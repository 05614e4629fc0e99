package creds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gofrs/flock"
)

// Pending is a node that a command is creating at a host, saved before the request: the
// host may have created it although the command did not survive to save it.
type Pending struct {
	// Context is the context for the node, with that node alone: the main node, or an agent.
	Context *Context
	// Owner is the main node of an agent, "" for a main node.
	Owner string
	// Use is set if commands use the context from then on.
	Use bool
}

// pendingJSON is a Pending in the file.
type pendingJSON struct {
	Context string      `json:"context"`
	Owner   string      `json:"owner,omitzero"`
	Use     bool        `json:"use,omitzero"`
	Node    contextJSON `json:"node"`
}

// NodeID returns the id of the node.
func (p *Pending) NodeID() string {
	if agents := p.Context.agents; p.Context.Main == nil && len(agents) > 0 {
		return agents[0].NodeID
	}
	return p.Context.MainNodeID()
}

// Pending returns the nodes that are being created, in the order of AddPending.
func (f *File) Pending() []Pending { return slices.Clone(f.pending) }

// AddPending saves a node that is about to be created.
func (f *File) AddPending(p Pending) error {
	if err := p.Context.check(); err != nil {
		return err
	}
	f.DropPending(p.NodeID())
	f.pending = append(f.pending, p)
	return nil
}

// DropPending removes the node with an id from those that are being created.
func (f *File) DropPending(nodeID string) {
	f.pending = slices.DeleteFunc(f.pending, func(p Pending) bool { return p.NodeID() == nodeID })
}

// Creating returns when no other process creates nodes for this file, so that what it
// reads next stays true until release. It waits until ctx ends.
func (s *Store) Creating(ctx context.Context) (release func() error, err error) {
	lock, err := s.creationLock()
	if err != nil {
		return nil, err
	}
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, s.lockError(ctx, err)
	}
	return lock.Close, nil
}

// TryCreating is Creating without waiting: release is nil while another process creates
// nodes.
func (s *Store) TryCreating() (release func() error, err error) {
	lock, err := s.creationLock()
	if err != nil {
		return nil, err
	}
	locked, err := lock.TryLock()
	if err != nil || !locked {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}

func (s *Store) creationLock() (*flock.Flock, error) {
	target, err := s.target()
	if err != nil {
		return nil, fmt.Errorf("lock the credentials file: %w", err)
	}
	return flock.New(target + ".creating.lock"), nil
}
