package hostprocess

// Hastener makes a host ask for reconnects after 100 ms and not two seconds: a
// test that breaks many connections would else do nothing but wait. What the host
// sends keeps its length. Another time that begins like two seconds is changed as well: no
// host sends one.
type Hastener struct{ matched int }

// Rewrite changes what a connection carried next, in place.
func (h *Hastener) Rewrite(p []byte) {
	const asked, instead = "\nretry: 2000\n", "\nretry: 0100\n"
	for i, b := range p {
		switch {
		case b == asked[h.matched]:
			p[i] = instead[h.matched]
			h.matched++
		case b == asked[0]:
			h.matched = 1
		default:
			h.matched = 0
		}
		if h.matched == len(asked) {
			h.matched = 0
		}
	}
}
