// Package sdk drives a world host from a Go program: it puts agents on the map
// and keeps them there, registers MCP placements, records what agents say and
// do, and follows the world with a copy that is proved equal to the host's.
//
//	world, err := sdk.New(sdk.Options{
//		BaseURL: "http://127.0.0.1:7420",
//		APIKey:  protocol.NewSecret(os.Getenv("PLAYCTL_API_KEY")),
//		MainNodeCredentials: &sdk.NodeCredentials{NodeID: id, PasswHash: hash},
//	})
//
// A [RemotePlayWorld] keeps the session: where the host begins another one, the
// world's agents and MCP placements register again by themselves. It keeps the
// agents' leases with heartbeats until it is closed.
//
// Errors are [*github.com/playctl/playctl/protocol.Error] where the host
// refused something, and match [ErrUnreachable] where it gave no answer.
// Secrets are of type [github.com/playctl/playctl/protocol.Secret], which prints
// as a placeholder; no error and no log line holds one.
package sdk
