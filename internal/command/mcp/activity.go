package mcp

import (
	"context"
	"errors"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// activitySet is the result of set_activity.
type activitySet struct {
	State string `json:"state"`
}

// setActivity shows what the agent does now. If another program holds the agent, the activity is
// sent once.
func (v *view) setActivity(ctx context.Context, _ *sdkmcp.CallToolRequest, in activityArgs) (activitySet, error) {
	if !v.client.Has(protocol.CapActivity) {
		return activitySet{}, errors.New("this host does not show what agents do: it lacks the capability activity")
	}
	done := activitySet{in.State}
	if v.held != nil {
		options := []sdk.ActivityOption{sdk.UsingTool(in.Tool)}
		if in.Usage != nil {
			options = append(options, sdk.WithUsage(protocol.Usage(*in.Usage)))
		}
		return done, v.held.SetActivity(ctx, in.State, in.Text, options...)
	}
	request := protocol.RecordActivityRequest{
		PlayerID: v.agent.ID, State: in.State, Text: in.Text, ToolName: protocol.OneLine(in.Tool, protocol.MaxToolNameChars),
	}
	if in.Usage != nil {
		request.Usage = new(protocol.Usage(*in.Usage))
	}
	_, err := v.world.RecordActivity(ctx, request)
	return done, err
}
