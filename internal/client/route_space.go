package client

import (
	"context"

	"github.com/playctl/playctl/protocol"
)

// RegisterSpaceNode makes a space, as a main node.
func (c *Client) RegisterSpaceNode(ctx context.Context, r *protocol.RegisterSpaceRequest) (*protocol.SpaceReply, error) {
	return decode[protocol.SpaceReply](ctx, c, c.writeOp(protocol.OpRegisterSpaceNode, r))
}

// CreateSpace makes a space, its node and a structure on the map, as a main
// node. The reply holds the node's phrase, once.
func (c *Client) CreateSpace(ctx context.Context, r *protocol.CreateSpaceRequest) (*protocol.CreateSpaceReply, error) {
	return decode[protocol.CreateSpaceReply](ctx, c, c.writeOp(protocol.OpCreateSpace, r))
}

// ListSpaceNodes reads all spaces.
func (c *Client) ListSpaceNodes(ctx context.Context) (*protocol.SpacesReply, error) {
	return decode[protocol.SpacesReply](ctx, c, c.readOp(protocol.OpListSpaceNodes, nil))
}

// InspectSpace reads a space, with its log where the caller may see it.
func (c *Client) InspectSpace(ctx context.Context, spaceID string) (*protocol.InspectSpaceReply, error) {
	return decode[protocol.InspectSpaceReply](ctx, c,
		c.readOp(protocol.OpInspectSpace, protocol.SpaceRequest{SpaceID: spaceID}))
}

// RemoveSpace removes a space with its structure, its node and its log.
func (c *Client) RemoveSpace(ctx context.Context, spaceID string) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c,
		c.writeOp(protocol.OpRemoveSpace, protocol.SpaceRequest{SpaceID: spaceID}))
}

// AddSpaceAmenity gives a space an amenity.
func (c *Client) AddSpaceAmenity(ctx context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error) {
	return decode[protocol.SpaceReply](ctx, c, c.writeOp(protocol.OpAddSpaceAmenity, r))
}

// RemoveSpaceAmenity takes an amenity from a space; the last one stays.
func (c *Client) RemoveSpaceAmenity(ctx context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error) {
	return decode[protocol.SpaceReply](ctx, c, c.writeOp(protocol.OpRemoveSpaceAmenity, r))
}
