package protocol

// id reads an id that its caller chose.
func (f fields) id(name string, optional bool) string {
	text, ok := f.present(name, kindString, optional)
	if !ok {
		return ""
	}
	s := stringOf(text)
	f.checkID(name, s)
	return s
}

// agentID reads the id of an agent, or the label of a person where one may
// stand in its place.
func (f fields) agentID(name string, optional bool) string {
	text, ok := f.present(name, kindString, optional)
	if !ok {
		return ""
	}
	s := NormalizeAgentID(stringOf(text))
	f.checkID(name, s)
	return s
}

// accountID reads the id of a main node. It is trimmed and lower-cased; hosts
// without a repository take ids that are no derived ones.
func (f fields) accountID(name string, optional bool) string {
	text, ok := f.present(name, kindString, optional)
	if !ok {
		return ""
	}
	s := NormalizeNodeID(stringOf(text))
	f.checkID(name, s)
	return s
}

func (f fields) checkID(name, s string) {
	switch {
	case f.failed() || ValidID(s):
	case s == "":
		f.wrong(name, "must not be empty")
	default:
		f.wrong(name, "must be an id: 1 to %d characters without white space, control characters and ':'", MaxIDChars)
	}
}

// nodeID reads the id of a derived node.
func (f fields) nodeID(name string, optional bool) string {
	text, ok := f.present(name, kindString, optional)
	if !ok {
		return ""
	}
	s := NormalizeNodeID(stringOf(text))
	if !ValidHex64(s) {
		f.wrong(name, "must be a node id: 64 hex digits")
	}
	return s
}

// passwHash reads the hash of a normalised phrase. Its case is fixed: it is
// compared as text.
func (f fields) passwHash(name string, optional bool) WireSecret {
	text, ok := f.present(name, kindString, optional)
	if !ok {
		return WireSecret{}
	}
	s := stringOf(text)
	if !ValidHex64(s) {
		f.wrong(name, "must be 64 lower-case hex digits")
		return WireSecret{}
	}
	return NewSecret(s).Wire()
}

// secret reads a text that is compared and never kept.
func (f fields) secret(name string) WireSecret {
	text, ok := f.present(name, kindString, true)
	if !ok {
		return WireSecret{}
	}
	return NewSecret(stringOf(text)).Wire()
}

// stableKey reads a stable key of any kind.
func (f fields) stableKey(name string) string {
	// An empty text is a text that is no stable key.
	s := f.text(name, textRule{chars: MaxStableKeyChars, blank: true})
	f.checkStableKey(f.obj.field(name), s)
	return s
}

func (f fields) checkStableKey(path, s string) {
	if f.failed() || NodeKindOf(s) != "" {
		return
	}
	f.fail(&Error{
		Code:    CodeStableKeyUnknown,
		Message: "the field " + path + " is no stable key: it must be __genesis__, __header__ or start with agent:, mcp:, human:, structure: or space:",
		Field:   path,
	})
}

// rfc3339 reads a time and gives it as it was written.
func (f fields) rfc3339(name string) string {
	s := f.text(name, textRule{})
	if f.failed() {
		return ""
	}
	if _, err := ParseTime(s); err != nil {
		f.wrong(name, "must be an RFC 3339 time such as 2026-01-02T03:04:05.678Z")
	}
	return s
}
