package protocol

import (
	"net/url"
	"strings"
	"unicode"
)

// MCPRegisterRequest puts an MCP placement on the map, or changes its row.
type MCPRegisterRequest struct {
	Name string `json:"name"`
	// URL is absolute, http or https; empty for none.
	URL string `json:"url,omitzero"`
}

// ParseMCPRegister reads the body of `POST /api/play/mcp/register`.
func ParseMCPRegister(o Object) (MCPRegisterRequest, *Error) {
	f := readFields(o)
	r := MCPRegisterRequest{
		Name: f.text("name", textRule{chars: MaxNameChars}),
		URL:  f.text("url", textRule{chars: MaxURLChars, optional: true}),
	}
	if r.URL != "" && !f.failed() {
		if fault := urlFault(r.URL); fault != "" {
			f.wrong("url", "%s", fault)
		}
	}
	return r, f.err()
}

// urlFault says what keeps a text from being the URL of an MCP placement. The
// row is public, so a user name or password in it is refused.
func urlFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return IsWhiteSpace(r) || unicode.IsControl(r) }):
		return "must be a URL"
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return "must start with http:// or https://"
	case u.Hostname() == "":
		return "must name a host"
	case u.User != nil:
		return "must not hold a user name or password: everyone can read it"
	}
	return ""
}

// MCPUnregisterRequest takes an MCP placement off the map.
type MCPUnregisterRequest struct {
	ID string `json:"id"`
}

// ParseMCPUnregister reads the body of `POST /api/play/mcp/unregister`.
func ParseMCPUnregister(o Object) (MCPUnregisterRequest, *Error) {
	f := readFields(o)
	r := MCPUnregisterRequest{ID: f.id("id", false)}
	return r, f.err()
}
