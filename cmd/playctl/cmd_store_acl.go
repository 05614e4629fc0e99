package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/store/redis"
)

// aclResult is what "playctl store acl" prints.
type aclResult struct {
	User  string   `json:"user"`
	Rules []string `json:"rules"`
}

func newStoreACLCommand(a *app) *cobra.Command {
	var hostID, user string
	var cluster bool
	cmd := &cobra.Command{
		Use:   "acl",
		Short: "Print what the Redis user of a world's hosts must be allowed",
		Long: `Print what the Redis user of a world's hosts must be allowed, as a line of an ACL file: the keys
and the channels of the world, the commands that hosts send, and nothing else. A password is still
to be added, as >PASSWORD, or as # and the hex SHA-256 of it.`,
		Example: example("playctl store acl", "playctl store acl --host-id arena --user arena --cluster --output json"),
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			if err := checkHostID(hostID); err != nil {
				return err
			}
			result := aclResult{User: user, Rules: redis.Rules(hostID, cluster)}
			return a.printer.Print(render.Document{
				Data:  result,
				Views: []render.View{render.Line("user " + render.Clean(user) + " on " + strings.Join(result.Rules, " "))},
			})
		},
	}
	cmd.Flags().StringVar(&hostID, "host-id", "default", "the `name` of the world on the Redis")
	cmd.Flags().StringVar(&user, "user", "playctl", "the user's `name`")
	cmd.Flags().BoolVar(&cluster, "cluster", false, "for the nodes of a Cluster")
	configurable(cmd.Flags(), "host-id")
	return cmd
}
