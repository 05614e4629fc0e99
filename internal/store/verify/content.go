package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// content checks the content of an entry by itself.
func (c *check) content(e *store.Entry) {
	what := fmt.Sprintf("entry %d", e.Position)
	if e.MapChanged {
		c.change(what, e)
	} else {
		c.noChange(what, e)
	}
	for i := range e.Events {
		ev := &e.Events[i]
		if ev.Kind == "" || !bytes.HasPrefix(ev.Data, []byte("{")) || !json.Valid(ev.Data) {
			c.complain("%s: its event %d (%q) is not a JSON object with a name", what, i+1, ev.Kind)
		}
	}
	c.rows(what, e.Rows)
}

// change checks an entry with a new rev.
func (c *check) change(what string, e *store.Entry) {
	switch {
	case !touches(e):
		c.complain("%s has a rev of its own, but changes nothing", what)
	case len(e.Events) == 0:
		c.complain("%s changes the map without an event", what)
	case resets(e) && len(e.Notify) > 0:
		c.complain("%s resets the session and has a notify", what)
	case !resets(e) && len(e.Notify) == 0:
		c.complain("%s changes the map without a notify", what)
	}
}

// noChange checks an entry with the rev of the entry before it.
func (c *check) noChange(what string, e *store.Entry) {
	if touches(e) && !isFirstEntry(e) {
		c.complain("%s changes the map without a rev of its own", what)
	}
	if len(e.Notify) > 0 {
		c.complain("%s has a notify, but no rev of its own", what)
	}
}

// touches reports whether an entry contains a part of the chain.
func touches(e *store.Entry) bool { return len(e.Rows) > 0 || e.Header != nil || e.Cleared }

// isFirstEntry reports whether an entry is a world's first: it has a header, but no
// rev yet.
func isFirstEntry(e *store.Entry) bool {
	return e.Position == 1 && e.Rev == 0 && len(e.Events) == 0 && len(e.Rows) == 0 && !e.Cleared
}

// resets reports whether an entry begins a new session, whose event has no notify.
func resets(e *store.Entry) bool {
	return len(e.Events) == 1 && e.Events[0].Kind == string(protocol.EventSessionReset)
}

// rows checks that rows match their keys, and are canonical.
func (c *check) rows(what string, rows []store.Row) {
	for i := range rows {
		row := &rows[i]
		if row.JSON == nil {
			continue
		}
		if err := rowIs(row); err != nil {
			c.complain("%s: the row %q: %v", what, row.Key, err)
		}
	}
}

func rowIs(row *store.Row) error {
	parse := chain.ParseOccupantLeaf
	if strings.HasPrefix(row.Key, protocol.SpaceKeyPrefix) {
		parse = chain.ParseSpaceLeaf
	}
	leaf, err := parse(row.JSON)
	if err != nil {
		return err
	}
	if leaf.Key() != row.Key {
		return fmt.Errorf("its content is the row %q", leaf.Key())
	}
	canonical, err := chain.Canonicalize(nil, row.JSON)
	if err != nil {
		return err
	}
	if !bytes.Equal(canonical, row.JSON) {
		return fmt.Errorf("it is not in canonical form")
	}
	return nil
}

// notify compares the notify of an entry with the leaves that differ between the
// chain before it and the chain after it, which is the check's current one.
func (c *check) notify(e *store.Entry, before *chain.Tree) {
	if len(e.Notify) == 0 {
		return
	}
	var stated protocol.Notify
	if err := json.Unmarshal(e.Notify, &stated); err != nil {
		c.complain("entry %d: its notify: %v", e.Position, err)
		return
	}
	differ := chain.Diff(before, c.world.Tree, stated.UpdatedAt)
	if differ == nil || !sameRefs(stated.Nodes, differ.Nodes) {
		c.complain("entry %d: its notify names %s, but what differs is %s", e.Position, refs(&stated), refs(differ))
	}
}

func sameRefs(a, b []protocol.NodeRef) bool {
	return slices.EqualFunc(a, b, func(a, b protocol.NodeRef) bool {
		return a.StableKey == b.StableKey && a.LeafIndex == b.LeafIndex && a.Removed == b.Removed
	})
}

func refs(n *protocol.Notify) string {
	if n == nil || len(n.Nodes) == 0 {
		return "nothing"
	}
	var text strings.Builder
	for i, ref := range n.Nodes {
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%s at %v", ref.StableKey, ref.LeafIndex)
		if ref.Removed {
			text.WriteString(" (removed)")
		}
	}
	return text.String()
}
