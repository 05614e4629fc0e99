package command

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// These limit the time that a person waits after Tab, and the number of completions.
const (
	completionTime = time.Second
	mostOffers     = 200
)

// Word is the word to complete: the arguments before it, and the typed part of it.
type Word struct {
	Before []string
	Typed  string
}

// Offer returns the possible completions, each with a description after a tab.
// Completions that it returns with an error are offered too.
type Offer func(ctx context.Context, a *App, caller *Caller, host *client.Client, word Word) ([]cobra.Completion, error)

// Listed offers each item of a list that the host returns for the caller.
func Listed[R, T any](ask func(*client.Client, context.Context) (*R, error), list func(*R) []T, offer func(T) cobra.Completion) Offer {
	return func(ctx context.Context, _ *App, _ *Caller, host *client.Client, _ Word) (found []cobra.Completion, err error) {
		reply, err := ask(host, ctx)
		if err != nil {
			return nil, err
		}
		for _, one := range list(reply) {
			found = append(found, offer(one))
		}
		return found, nil
	}
}

// Knows is a request that fails with unknown if an offer does not have a word.
func Knows(offer Offer, word string, unknown error) func(context.Context, *Caller, *client.Client) (*render.Document, error) {
	return func(ctx context.Context, caller *Caller, host *client.Client) (*render.Document, error) {
		found, err := offer(ctx, nil, caller, host, Word{})
		if err == nil && !slices.ContainsFunc(found, func(one cobra.Completion) bool { return one == word || strings.HasPrefix(one, word+"\t") }) {
			err = unknown
		}
		return nil, err
	}
}

// Completes completes the first argument.
func (a *App) Completes(offer Offer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return a.offers(cmd, offer, Word{Before: args, Typed: typed})
	}
}

// CompletesEach completes every argument before --.
func (a *App) CompletesEach(offer Offer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		// Cobra adds a -- itself during completion.
		if slices.Contains(a.Args, "--") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return a.offers(cmd, offer, Word{Before: args, Typed: typed})
	}
}

// CompletesAgent completes the first argument with agents.
func (a *App) CompletesAgent(seek Seek) cobra.CompletionFunc { return a.Completes(Agents(seek)) }

// CompleteFlag completes the value of a flag.
func (a *App) CompleteFlag(cmd *cobra.Command, flag string, offer Offer) {
	registerCompletion(cmd, flag, func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.offers(cmd, offer, Word{Before: args, Typed: typed})
	})
}

func registerCompletion(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic("playctl: complete --" + flag + ": " + err.Error())
	}
}

// CompleteChoices offers a flag's fixed values to the shell.
func CompleteChoices(cmd *cobra.Command, flag string, choices ...string) {
	registerCompletion(cmd, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteList offers the values of a flag that accepts several, separated by commas.
func CompleteList(cmd *cobra.Command, flag string, choices ...string) {
	registerCompletion(cmd, flag, func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before, last := typed[:strings.LastIndex(typed, ",")+1], typed[strings.LastIndex(typed, ",")+1:]
		var offers []cobra.Completion
		for _, choice := range choices {
			if strings.HasPrefix(choice, last) && !slices.Contains(strings.Split(before, ","), choice) {
				offers = append(offers, before+choice)
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// offers returns the completions for the shell.
func (a *App) offers(cmd *cobra.Command, offer Offer, word Word) ([]cobra.Completion, cobra.ShellCompDirective) {
	if a.prepare(cmd, nil) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found := a.Offers(cmd.Context(), offer, word)
	if len(found) == 1 && strings.HasSuffix(found[0], "=") {
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// Offers requests the completions from the host, and prints no messages: the person is
// still typing.
func (a *App) Offers(ctx context.Context, offer Offer, word Word) []cobra.Completion {
	quiet, exposed := a.Settings.Quiet, a.exposed
	defer func() { a.Settings.Quiet, a.exposed = quiet, exposed }()
	a.Settings.Quiet, a.exposed = true, true
	caller, err := a.Caller()
	if err != nil {
		return nil
	}
	host, err := a.Client(caller, caller.Reader())
	if err != nil {
		return nil
	}
	defer host.Close()
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	// Completions from before a failure, such as an unreachable host, are offered too.
	found, _ := offer(ctx, a, caller, host.WithRetry(retry.Policy{Attempts: 1}), word)
	return fit(found, word.Typed)
}

// fit removes completions that do not begin with the typed text, that a shell cannot read
// as one line, and duplicates.
func fit(found []cobra.Completion, typed string) []cobra.Completion {
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(offer cobra.Completion) bool {
		text, about, _ := strings.Cut(offer, "\t")
		out := seen[text] || text == "" || !strings.HasPrefix(text, typed) || render.Clean(text) != text || render.Clean(about) != about
		seen[text] = true
		return out
	})
	return found[:min(len(found), mostOffers)]
}

// known are the agents, servers or spaces that a person may name, by their ids: first by
// label, then by a name that no other one has, then by a prefix of the id.
type known map[string]*knownOne

type knownOne struct{ label, name, about string }

func (k known) add(id, label, name, about string) {
	one := cmp.Or(k[id], &knownOne{about: about})
	one.label, one.name = cmp.Or(one.label, label), cmp.Or(one.name, name)
	k[id] = one
}

// offers returns the words for all of known. Ids are offered if a person types one, or if
// no other word identifies the agent, server or space.
func (k known) offers(typed string) []cobra.Completion {
	times := map[string]int{}
	for _, one := range k {
		times[one.label]++
		if one.name != one.label {
			times[one.name]++
		}
	}
	var offers []cobra.Completion
	for _, id := range slices.Sorted(maps.Keys(k)) {
		one := k[id]
		offer := func(text, about string) {
			offers = append(offers, cobra.CompletionWithDesc(text, strings.TrimSpace(about+" "+one.about)))
		}
		if one.label != "" {
			offer(one.label, "")
		}
		if one.name != "" && one.name != one.label && times[one.name] == 1 {
			offer(one.name, "")
		}
		if meant := typed != "" && strings.HasPrefix(id, typed); meant || one.label == "" && times[one.name] != 1 {
			text := render.ShortID(id)
			if len(typed) > len(text) {
				text = id
			}
			offer(text, one.name)
		}
	}
	return offers
}

// Agents offers agents.
func Agents(seek Seek) Offer {
	return func(ctx context.Context, _ *App, caller *Caller, host *client.Client, word Word) ([]cobra.Completion, error) {
		agents := known{}
		err := addAgents(ctx, agents, caller, host, seek)
		return agents.offers(word.Typed), err
	}
}

func addAgents(ctx context.Context, agents known, caller *Caller, host *client.Client, seek Seek) error {
	if caller.Context != nil {
		for _, agent := range caller.Context.Agents() {
			agents.add(agent.NodeID, agent.Label, "", "yours")
		}
	}
	if !caller.Main.IsZero() {
		reply, err := host.Agents(ctx)
		if err != nil {
			return err
		}
		for i := range reply.Agents {
			agents.add(reply.Agents[i].AgentID, reply.Agents[i].Label, reply.Agents[i].Name, "yours")
		}
	}
	if seek != SeekAny && !caller.Reader().IsZero() {
		return nil
	}
	rows, err := AgentsOnMap(ctx, host)
	for _, row := range rows {
		agents.add(row.AgentID, "", row.Name, "of "+render.ShortID(row.NodeID))
	}
	return err
}

// Players offers agents and MCP servers, to which the events relate.
func Players(ctx context.Context, _ *App, caller *Caller, host *client.Client, word Word) ([]cobra.Completion, error) {
	players := known{}
	if err := addAgents(ctx, players, caller, host, SeekAny); err != nil {
		return players.offers(word.Typed), err
	}
	err := addServers(ctx, players, host, func(*protocol.MCP) bool { return true })
	return players.offers(word.Typed), err
}

// MCPServers offers the caller's own MCP servers.
func MCPServers(ctx context.Context, _ *App, caller *Caller, host *client.Client, word Word) ([]cobra.Completion, error) {
	servers := known{}
	err := addServers(ctx, servers, host, func(row *protocol.MCP) bool {
		return caller.Main.IsZero() || row.NodeID == caller.Main.NodeID
	})
	return servers.offers(word.Typed), err
}

// addServers adds MCP servers on the map.
func addServers(ctx context.Context, to known, host *client.Client, wanted func(*protocol.MCP) bool) error {
	_, snapshot, err := Snapshot(ctx, host)
	if err != nil {
		return err
	}
	for _, row := range client.Rows[*protocol.MCP](snapshot) {
		if wanted(row) {
			to.add(row.ID, "", row.Name, cmp.Or(row.URL, string(protocol.KindMCP)))
		}
	}
	return nil
}

// Spaces offers the spaces of the world.
func Spaces(ctx context.Context, _ *App, _ *Caller, host *client.Client, word Word) ([]cobra.Completion, error) {
	_, snapshot, err := Snapshot(ctx, host)
	if err != nil {
		return nil, err
	}
	spaces := known{}
	for _, text := range snapshot.Spaces {
		if row, err := chain.ParseSpace(text); err == nil {
			spaces.add(row.ID, "", row.Name, "of "+row.Owner.DisplayName)
		}
	}
	return spaces.offers(word.Typed), nil
}

// Designs offers the design keys of the spaces of the world.
func Designs(ctx context.Context, _ *App, _ *Caller, host *client.Client, _ Word) ([]cobra.Completion, error) {
	reply, err := host.ListSpaceNodes(ctx)
	if err != nil {
		return nil, err
	}
	var designs []cobra.Completion
	for _, space := range reply.Spaces {
		designs = append(designs, render.Clean(space.DesignKey))
	}
	slices.Sort(designs)
	return slices.Compact(designs), nil
}

// completeNoFiles stops the shell from offering files for flags that are no paths and
// have no completion.
func completeNoFiles(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		placeholder, _ := pflag.UnquoteUsage(flag)
		if _, has := cmd.GetFlagCompletionFunc(flag.Name); !has && !isPath(placeholder) {
			registerCompletion(cmd, flag.Name, cobra.NoFileCompletions)
		}
	})
	for _, sub := range cmd.Commands() {
		completeNoFiles(sub)
	}
}

// StableKeys offers the stable keys of the chain that wanted selects.
func StableKeys(wanted func(key string) bool) Offer {
	return func(ctx context.Context, _ *App, _ *Caller, host *client.Client, _ Word) ([]cobra.Completion, error) {
		world, _, err := host.World(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, leaf := range world.Tree().All() {
			if wanted(leaf.Key()) {
				offers = append(offers, cobra.CompletionWithDesc(leaf.Key(), NameIn(leaf.Payload())))
			}
		}
		return offers, nil
	}
}

// NameIn returns the name in the payload of a leaf, "" if it has none.
func NameIn(payload []byte) string {
	var row struct {
		Name string `json:"name"`
	}
	_ = protocol.Decode(payload, &row) // some leaves are no rows and have no name
	return row.Name
}

// ToolsOf offers the tools of the agent in the first argument.
func ToolsOf(ctx context.Context, a *App, caller *Caller, host *client.Client, word Word) ([]cobra.Completion, error) {
	if len(word.Before) == 0 {
		return nil, nil
	}
	ref, err := a.FindAgent(ctx, caller, word.Before[0], SeekAny)
	if err != nil {
		return nil, err
	}
	row, err := AgentOnMap(ctx, host, ref.ID)
	if err != nil || row == nil {
		return nil, err
	}
	about := map[string]string{}
	for _, tool := range row.AssistTools {
		about[tool.Name] = tool.Description
	}
	var offers []cobra.Completion
	for _, name := range row.ToolNames {
		offers = append(offers, cobra.CompletionWithDesc(name, about[name]))
	}
	return offers, nil
}

// CompletesContext completes an argument with the names of contexts.
func (a *App) CompletesContext(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || a.prepare(cmd, nil) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return fit(a.ContextNames(), typed), cobra.ShellCompDirectiveNoFileComp
}

// ContextNames returns the names of the contexts, none if the file cannot be read.
func (a *App) ContextNames() []string {
	_, file, err := a.CredentialsFile()
	if err != nil {
		return nil
	}
	return file.Names()
}
