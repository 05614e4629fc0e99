package host

import (
	"encoding/json"

	"github.com/playctl/playctl/protocol"
)

// interactionsReply is protocol.InteractionsReply with lines as they are kept,
// so that a page is not decoded only to be encoded again.
type interactionsReply struct {
	Interactions protocol.List[json.RawMessage] `json:"interactions"`
	HasMore      bool                           `json:"hasMore"`
}

// journeysReply is protocol.JourneysReply likewise.
type journeysReply struct {
	Journeys protocol.List[json.RawMessage] `json:"journeys"`
	HasMore  bool                           `json:"hasMore"`
}

func planListInteractions(c *call) (action, error) {
	request, err := payloadOf[protocol.ListRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		lines, more, err := c.host.world.Interactions(c.r.Context(), request)
		if err != nil {
			return err
		}
		return c.send(&interactionsReply{Interactions: lines, HasMore: more})
	}, nil
}

func planListJourneys(c *call) (action, error) {
	request, err := payloadOf[protocol.ListRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		journeys, more, err := c.host.world.Journeys(c.r.Context(), request)
		if err != nil {
			return err
		}
		return c.send(&journeysReply{Journeys: journeys, HasMore: more})
	}, nil
}
