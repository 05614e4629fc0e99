package protocol

// ChainNodeRequest is the payload of getPlayerChainNode.
type ChainNodeRequest struct {
	StableKey string `json:"stableKey"`
	// AtRev asks for the node as of a rev; nil for the present one.
	AtRev *uint64 `json:"atRev,omitzero"`
}

// ParseChainNode reads the payload of getPlayerChainNode. A text that is no
// stable key is `stable_key_unknown`.
func ParseChainNode(o Object) (ChainNodeRequest, *Error) {
	f := readFields(o)
	r := ChainNodeRequest{StableKey: f.stableKey("stableKey"), AtRev: f.position("atRev")}
	return r, f.err()
}

// ChainNodesRequest is the payload of getPlayerChainNodes.
type ChainNodesRequest struct {
	StableKeys List[string] `json:"stableKeys"`
	// AtRev asks for the nodes as of a rev; nil for the present one.
	AtRev *uint64 `json:"atRev,omitzero"`
}

// ParseChainNodes reads the payload of getPlayerChainNodes.
func ParseChainNodes(o Object) (ChainNodesRequest, *Error) {
	f := readFields(o)
	const name = "stableKeys"
	r := ChainNodesRequest{
		StableKeys: f.texts(name, false, MaxStableKeys, textRule{chars: MaxStableKeyChars, blank: true}),
		AtRev:      f.position("atRev"),
	}
	for i, key := range r.StableKeys {
		f.checkStableKey(elementField(o.field(name), i), key)
	}
	return r, f.err()
}

// ChainProofRequest is the payload of getPlayerChainProof.
type ChainProofRequest struct {
	StableKey string `json:"stableKey"`
}

// ParseChainProof reads the payload of getPlayerChainProof.
func ParseChainProof(o Object) (ChainProofRequest, *Error) {
	f := readFields(o)
	r := ChainProofRequest{StableKey: f.stableKey("stableKey")}
	return r, f.err()
}
