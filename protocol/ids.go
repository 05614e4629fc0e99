package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ValidID reports whether a caller may choose s as the id of a space, a
// connection or a request, or of an agent on a host without a repository: 1 to
// MaxIDChars characters of UTF-8 without white space, control characters and
// ':', which separates the parts of a stable key.
func ValidID(s string) bool {
	if s == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > MaxIDChars {
		return false
	}
	return strings.IndexFunc(s, isForbiddenInID) < 0
}

func isForbiddenInID(r rune) bool {
	return r == ':' || unicode.IsControl(r) || unicode.IsSpace(r) || IsWhiteSpace(r)
}

// ValidHex64 reports whether s is 64 lower-case hex digits, the form of a
// passwHash, of a derived node id and of a digest.
func ValidHex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// NormalizeNodeID trims a node's id and lower-cases it with LowerCase, as every
// reader does before it compares ids.
func NormalizeNodeID(s string) string { return LowerCase(TrimSpace(s)) }

// NormalizeRootKey trims a root key and lower-cases it with LowerCase. A root key
// is the id of the root node, so both have the same form.
func NormalizeRootKey(s string) string { return NormalizeNodeID(s) }

// NormalizeAgentID returns the form in which an agent's id is compared. A node id
// in any case and with white space around it becomes that node id; any other id,
// as on hosts without a repository, stays unchanged.
func NormalizeAgentID(s string) string {
	if id := NormalizeNodeID(s); ValidHex64(id) {
		return id
	}
	return s
}

// ShortIDDigits is how many digits of a node id lists show.
const ShortIDDigits = 12

// ShownAs reports whether a text is the digits under which lists show a node, or more of
// the digits of its id.
func ShownAs(nodeID, text string) bool {
	return len(text) >= ShortIDDigits && ValidHex64(nodeID) && strings.HasPrefix(nodeID, LowerCase(text))
}

// PersonPrefix is the prefix of the label of an asker that is a person and not an agent.
const PersonPrefix = "__"

// HumanLabel is the label of the person at a host's own routes.
const HumanLabel = "__human__"

// IsPersonLabel reports whether an asker's id is a person's label.
func IsPersonLabel(id string) bool { return strings.HasPrefix(id, PersonPrefix) }

// ValidIdempotencyKey reports whether s can be an idempotency key: 1 to 128
// visible ASCII characters.
func ValidIdempotencyKey(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// The prefixes of the stable keys of rows and spaces.
const (
	AgentKeyPrefix     = "agent:"
	MCPKeyPrefix       = "mcp:"
	HumanKeyPrefix     = "human:"
	StructureKeyPrefix = "structure:"
	SpaceKeyPrefix     = "space:"
)

// NodeKindOf returns the kind of chain node that a stable key names: NodeGenesis,
// NodeHeader, NodeOccupant or NodeSpace; "" for a text that is not a stable key.
func NodeKindOf(stableKey string) string {
	switch stableKey {
	case GenesisStableKey:
		return NodeGenesis
	case HeaderStableKey:
		return NodeHeader
	}
	if strings.HasPrefix(stableKey, SpaceKeyPrefix) {
		return NodeSpace
	}
	for _, p := range []string{AgentKeyPrefix, MCPKeyPrefix, HumanKeyPrefix, StructureKeyPrefix} {
		if strings.HasPrefix(stableKey, p) {
			return NodeOccupant
		}
	}
	return ""
}
