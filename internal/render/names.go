package render

// maxNames bounds how many names are remembered; a world has at most as many
// occupants as its operator allows, but a stream of years has more.
const maxNames = 10_000

// Names knows what to call the occupants that events speak of by id. The zero
// value knows nobody.
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
