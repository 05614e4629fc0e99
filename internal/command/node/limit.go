package node

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// amount is one of the protocol.Amounts.
type amount struct {
	name, what string
	of         **uint64
}

// amounts returns all amounts: those of the present, those of the history, and the
// others.
func amounts(a *protocol.Amounts) []amount {
	return []amount{
		{"agents", "agent nodes", &a.Agents},
		{"spaces", "spaces", &a.Spaces},
		{"mcp", "MCP placements", &a.MCP},
		{"map-bytes", "bytes on the map", &a.MapBytes},
		{"requests", "open intercom requests", &a.Requests},
		{"lines", "chat lines", &a.Lines},
		{"journeys", "journeys", &a.Journeys},
		{"bytes", "bytes of history", &a.Bytes},
		{"agent-bytes", "bytes of agents' names", &a.AgentBytes},
		{"occupants", "places on the map", &a.Occupants},
		{"rate-history", "bytes written a second", &a.RateHistory},
	}
}

// historyAmounts is the number of amounts about the history, and otherAmounts the number
// of those after them.
const (
	historyAmounts = 3
	otherAmounts   = 3
)

// usageTables return the present amounts of each account, those of its history, and the
// others, in tables that fit a terminal.
func usageTables(nodes []nodeItem) (now, history, others render.Table) {
	all := amounts(&protocol.Amounts{})
	last := len(all) - otherAmounts
	cut := last - historyAmounts
	table := func(from, to int) render.Table {
		table := render.Table{Columns: []render.Column{{Title: "account"}}}
		for _, amount := range all[from:to] {
			table.Columns = append(table.Columns, render.Column{Title: amount.name, Right: true})
		}
		for _, n := range nodes {
			if n.Usage != nil {
				table.Rows = append(table.Rows, append([]string{render.ShortID(n.NodeID)}, usageCells(n.Usage, n.Limits)[from:to]...))
			}
		}
		return table
	}
	return table(0, cut), table(cut, last), table(last, len(all))
}

// usageCells returns the amounts of an account, with its own limit, if any, after a
// slash.
func usageCells(usage, limits *protocol.Amounts) []string {
	var cells []string
	own := amounts(cmp.Or(limits, &protocol.Amounts{}))
	for i, has := range amounts(cmp.Or(usage, &protocol.Amounts{})) {
		cell := command.Number(*has.of)
		switch limit := *own[i].of; {
		case limit == nil:
		case *limit == 0:
			cell += "/none"
		default:
			cell += "/" + command.Number(limit)
		}
		cells = append(cells, cell)
	}
	return cells
}

func newNodesLimitCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	var reset bool
	values := map[string]*uint64{}
	cmd := &cobra.Command{
		Use:   "limit <main node>",
		Short: "Set the limits of one account, as the administrator",
		Long: `Set the limits of one account, as the administrator, in place of those that the host has for every
account. Limits without a flag stay as they are; 0 is no limit. The limits for all accounts together
still apply.`,
		Example: command.Example(
			"playctl nodes limit \"$ID\" --spaces 500 --admin-token-file admin.token",
			"playctl nodes limit \"$ID\" --reset --admin-token-file admin.token"),
		Args:              command.Takes("main node"),
		ValidArgsFunction: a.Completes(mainNodes(&admin)),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := protocol.Amounts{}
			for _, one := range amounts(&given) {
				if !cmd.Flags().Changed(one.name) {
					continue
				}
				if err := command.CheckNumber(one.name, *values[one.name]); err != nil {
					return err
				}
				*one.of = values[one.name]
			}
			if !reset && given == (protocol.Amounts{}) {
				return command.Usagef("set a limit, such as --spaces 500, or use --reset")
			}
			return a.AsAdmin(cmd.Context(), &admin, "Setting the limits", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
				return limitNode(ctx, c, protocol.NodeLimitsRequest{NodeID: args[0], Limits: given}, reset)
			})
		},
	}
	for _, one := range amounts(&protocol.Amounts{}) {
		values[one.name] = cmd.Flags().Uint64(one.name, 0, "the limit of its "+one.what+"; 0 = no limit")
	}
	cmd.Flags().BoolVar(&reset, "reset", false, "first remove the account's own limits")
	admin.RegisterToken(cmd)
	return cmd
}

// mainNodes offers the ids of all accounts, with the administrator's token.
func mainNodes(admin *command.AdminFlags) command.Offer {
	return func(ctx context.Context, a *command.App, caller *command.Caller, _ *client.Client, _ command.Word) ([]cobra.Completion, error) {
		host, err := a.AdminClient(caller, admin)
		if err != nil {
			return nil, err
		}
		defer host.Close()
		reply, err := host.AllNodes(ctx)
		if err != nil {
			return nil, err
		}
		var ids []cobra.Completion
		for _, node := range reply.MainNodes {
			ids = append(ids, node.NodeID)
		}
		return ids, nil
	}
}

// limitNode sets the limits of an account, which is named by its id or a prefix of it;
// without reset, other limits stay.
func limitNode(ctx context.Context, c *client.Client, request protocol.NodeLimitsRequest, reset bool) (*render.Document, error) {
	all, err := c.AllNodes(ctx)
	if err != nil {
		return nil, err
	}
	if request.NodeID, err = meantAccount(all.MainNodes, request.NodeID); err != nil {
		return nil, err
	}
	if !reset {
		keepOwn(all.MainNodes, &request)
	}
	reply, err := c.LimitNode(ctx, request)
	if err != nil {
		return nil, err
	}
	fields := render.Fields{{Name: "main node", Value: reply.NodeID}}
	for _, one := range amounts(&reply.Limits) {
		value := command.Number(*one.of)
		if value == "0" {
			value = "no limit"
		}
		fields = append(fields, render.Field{Name: one.what, Value: value})
	}
	return &render.Document{Data: reply, Views: []render.View{fields}}, nil
}

// meantAccount returns the whole id of the account with a prefix of an id; a text that
// fits none is returned unchanged.
func meantAccount(accounts []protocol.MainNodeRecord, typed string) (string, error) {
	id := protocol.NormalizeNodeID(typed)
	var meant []string
	for _, n := range accounts {
		if len(id) >= command.LeastPrefix && strings.HasPrefix(n.NodeID, id) {
			meant = append(meant, n.NodeID)
		}
	}
	switch len(meant) {
	case 0:
		return id, nil
	case 1:
		return meant[0], nil
	}
	return "", command.Hintf(command.Usagef("%q matches %d main nodes", typed, len(meant)), "type more digits of its id")
}

// keepOwn adds the account's own limits that do not change.
func keepOwn(accounts []protocol.MainNodeRecord, request *protocol.NodeLimitsRequest) {
	for _, n := range accounts {
		if n.NodeID != request.NodeID || n.Limits == nil {
			continue
		}
		own := amounts(n.Limits)
		for i, one := range amounts(&request.Limits) {
			if *one.of == nil {
				*one.of = *own[i].of
			}
		}
	}
}
