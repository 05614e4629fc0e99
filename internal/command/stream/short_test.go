package stream

import "testing"

// Only what the data has elsewhere is left out: another changed row stays.
func TestShortened(t *testing.T) {
	t.Parallel()
	const (
		row   = `{"agentId":"a","name":"Ada"}`
		other = `{"kind":"occupant","occupant":{"agentId":"b","name":"Bo"}}`
		head  = `,"rev":7,"merkleRootHex":"aa","merkleLeafCount":3,"playerChainNotify":{"updatedAt":"t","nodes":[]}`
	)
	for data, want := range map[string]string{
		`{"player":` + row + head + `,"playerChainNodes":[{"kind":"occupant","occupant":` + row + `}]}`:               `{"player":` + row + `,"rev":7}`,
		`{"player":` + row + head + `,"playerChainNodes":[{"kind":"occupant","occupant":` + row + `},` + other + `]}`: `{"player":` + row + `,"rev":7,"playerChainNodes":[` + other + `]}`,
		`{"playerId":"b"` + head + `,"playerChainNodes":[` + other + `]}`:                                             `{"playerId":"b","rev":7,"playerChainNodes":[` + other + `]}`,
		`{"playerId":"b","reason":"lease"` + head + `}`:                                                               `{"playerId":"b","reason":"lease","rev":7}`,
		`{"playerChainNodes":7}`: `{"playerChainNodes":7}`,
		`not json`:               `not json`,
	} {
		if got := string(shortened([]byte(data))); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", data, got, want)
		}
	}
}
