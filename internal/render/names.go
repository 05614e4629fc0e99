package render

// maxNames bounds the number of remembered names; a world has at most as many
// occupants as its operator allows, but a stream of years has more.
const maxNames = 10_000

// Names maps the ids of occupants in events to names. The zero value has none.
type Names struct {
	byID map[string]string
}

// Learn remembers the name of an id.
func (n *Names) Learn(id, name string) {
	if id == "" || name == "" {
		return
	}
	if n.byID == nil || len(n.byID) >= maxNames {
		n.byID = map[string]string{}
	}
	n.byID[id] = name
}

// Of returns the name of an id, else the id, shortened.
func (n *Names) Of(id string) string {
	if name, ok := n.byID[id]; ok {
		return name
	}
	return ShortID(id)
}
