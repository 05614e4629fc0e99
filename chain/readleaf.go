package chain

// ParseOccupantLeaf makes the leaf of a row of the map from its JSON, with all
// of its fields, known or not.
func ParseOccupantLeaf(jsonText []byte) (*Leaf, error) { return parseLeaf(jsonText, occupantKey) }

// ParseSpaceLeaf makes the leaf of an entry of `spaces` from its JSON, with all
// of its fields, known or not.
func ParseSpaceLeaf(jsonText []byte) (*Leaf, error) { return parseLeaf(jsonText, spaceKey) }

// keyReader checks a canonical row and gives its stable key.
type keyReader func(text []byte) (string, error)

func occupantKey(text []byte) (string, error) {
	head, err := readHead(text)
	if err != nil {
		return "", err
	}
	return head.stableKey()
}

func spaceKey(text []byte) (string, error) {
	s, err := readSpace(text)
	if err != nil {
		return "", err
	}
	return s.StableKey(), nil
}

func parseLeaf(jsonText []byte, keyOf keyReader) (*Leaf, error) {
	hashed := make([]byte, 0, len(leafPrefix)+len(jsonText))
	hashed, err := Canonicalize(append(hashed, leafPrefix...), jsonText)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(hashed[len(leafPrefix):])
	if err != nil {
		return nil, err
	}
	return sealLeaf(key, hashed), nil
}

// readLeaf is parseLeaf for a canonical row.
func readLeaf(text []byte, keyOf keyReader) (*Leaf, error) {
	key, err := keyOf(text)
	if err != nil {
		return nil, err
	}
	return NewLeaf(key, text), nil
}
