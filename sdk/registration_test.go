package sdk

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

// All options of an agent are in its registration: each field of the request has a
// value, and omitting an option changes it.
func TestRegistrationContainsAllAgentOptions(t *testing.T) {
	hash := protocol.NewSecret(strings.Repeat("ab", 32))
	w, err := New(Options{BaseURL: "http://127.0.0.1:1", NoAPIKey: true, MainNodeCredentials: &NodeCredentials{NodeID: strings.Repeat("a", 64), PasswHash: hash}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	tools, err := NewFrameworkRegistration("langchain", Tool{Name: protocol.ChatTool})
	if err != nil {
		t.Fatal(err)
	}
	all := AgentOptions{
		AgentID: strings.Repeat("b", 64), Name: "Ada", Type: "other", Tools: tools, EnableP2A: true, RealtimeInstructions: "Be brief.", ParentID: strings.Repeat("c", 64), Group: "shop",
		LeaseTTL: 20 * time.Second, OnLost: func(error) {},
	}
	request := func(o AgentOptions) protocol.RegisterRequest {
		t.Helper()
		a, err := w.newAgent(&o)
		if err != nil {
			t.Fatal(err)
		}
		a.stop()
		a.request.ConnectionID = strings.TrimRight(a.request.ConnectionID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
		return a.request
	}
	whole := reflect.ValueOf(request(all))
	for i := range whole.NumField() {
		// Credentials are sent in headers, which proxies and logs do not record.
		switch name := whole.Type().Field(i).Name; {
		case name == "PasswHash" || name == "APIKey":
		case whole.Field(i).IsZero():
			t.Errorf("the registration has no %s", name)
		}
	}
	for i := range reflect.TypeFor[AgentOptions]().NumField() {
		fewer := all
		field := reflect.TypeFor[AgentOptions]().Field(i)
		switch field.Name {
		case "AgentID", "Name", "Tools": // required
			continue
		case "OnLost", "OwnActivity", "Credentials": // used by the program and in headers
			continue
		case "Permanent":
			fewer.Permanent = true
		default:
			reflect.ValueOf(&fewer).Elem().Field(i).SetZero()
		}
		if reflect.DeepEqual(request(fewer), request(all)) {
			t.Errorf("%s is not in the registration", field.Name)
		}
	}
}
