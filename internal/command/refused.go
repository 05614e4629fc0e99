package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// Standing is what a host knows of the nodes of a context.
type Standing int

const (
	// StandingUnknown means that the host refuses them and does not give its root key.
	StandingUnknown Standing = iota
	// StandingKnown means that it accepts them.
	StandingKnown
	// StandingGone means that it refuses them, and has the root key of the context: its world was
	// started anew, or they were deleted.
	StandingGone
	// StandingElsewhere means that it has another root key, so it serves another world.
	StandingElsewhere
)

// explainTime limits the time to find out why a host refuses credentials.
const explainTime = 3 * time.Second

// Standing asks the host what it knows of the nodes of the caller's context, with its
// answer about registration, which is empty if it does not give one.
func (a *App) Standing(ctx context.Context, caller *Caller) (Standing, protocol.BootstrapReply, error) {
	var told protocol.BootstrapReply
	asked := *caller
	asked.APIKey, asked.Main = protocol.Secret{}, client.Credentials{}
	c, err := a.Client(&asked, caller.Reader())
	if err != nil {
		return StandingUnknown, told, err
	}
	defer c.Close()
	once := c.WithRetry(retry.Policy{Attempts: 1})
	reply, err := once.As(client.Credentials{}).Bootstrap(ctx)
	switch {
	case err == nil:
		told = *reply
	case IsUnreachable(err):
		return StandingUnknown, told, err
	}
	theirs := protocol.NormalizeRootKey(told.RootKey)
	if theirs != "" && caller.RootKey() != "" && theirs != caller.RootKey() {
		return StandingElsewhere, told, nil
	}
	_, err = once.ValidateNode(ctx, protocol.ValidateRequest{})
	switch {
	case err == nil:
		return StandingKnown, told, nil
	case !protocol.HasCode(err, protocol.CodeCredentialsInvalid):
		return StandingUnknown, told, err
	case theirs != "" && caller.RootKey() != "":
		return StandingGone, told, nil
	}
	return StandingUnknown, told, nil
}

// Explain replaces the refusal of a context's credentials by its cause, with the command
// that mends it. Other errors, and those with a hint of their own, stay as they are.
func (a *App) Explain(ctx context.Context, err error) error {
	caller := a.identity
	if _, hinted := errors.AsType[*hintedError](err); hinted || caller == nil || !protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
		return err
	}
	if caller.admin || caller.NodeFromEnv != "" || caller.here().Name == "" || caller.Reader().IsZero() {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTime)
	defer cancel()
	standing, told, failed := a.Standing(ctx, caller)
	if failed != nil || standing == StandingKnown && !a.refusesAgent(ctx, caller) {
		return err // the cause stays unknown
	}
	text, hint := a.cause(ctx, caller, standing, &told)
	return &hintedError{&plainError{err, fmt.Sprintf("%s (%s)", text, protocol.CodeCredentialsInvalid)}, hint, flagsOfFile}
}

// refusesAgent reports whether the host refuses the agent that the run is about, although it
// accepts its account.
func (a *App) refusesAgent(ctx context.Context, caller *Caller) bool {
	agent, known := caller.Known(caller.acting)
	if !known {
		return false
	}
	c, err := a.Client(caller, nodeOf(agent))
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.WithRetry(retry.Policy{Attempts: 1}).ValidateNode(ctx, protocol.ValidateRequest{})
	return protocol.HasCode(err, protocol.CodeCredentialsInvalid)
}

// Advised returns the text of an error with its cause and its hint, for a program that
// continues.
func (a *App) Advised(ctx context.Context, err error) string {
	err = a.Explain(ctx, err)
	if hint := a.HintFor(err); hint != "" {
		return Worded(err) + "; " + hint
	}
	return Worded(err)
}

// cause returns why a host refuses a context's credentials, and what to do.
func (a *App) cause(ctx context.Context, caller *Caller, standing Standing, told *protocol.BootstrapReply) (text, hint string) {
	name := caller.Context.Name
	node, who := "account", fmt.Sprintf("the account of context %q", name)
	if caller.AgentsOnly() {
		node, who = "agent", fmt.Sprintf("the agent %s of context %q", caller.NameOf(caller.Reader().NodeID), name)
	}
	switch standing {
	case StandingKnown:
		agent := cmp.Or(caller.NameOf(caller.acting), caller.acting)
		return fmt.Sprintf("%s has no agent %s of %s: it was deleted", caller.Server, agent, who),
			fmt.Sprintf("\"playctl delete-agent-node %s --context %s\" deletes its credentials here; after that the name is free", ShellWord(agent), name)
	case StandingElsewhere:
		text = fmt.Sprintf("%s serves another world than the one of context %q, made %s", caller.Server, name, a.ErrorLook().AgeOf(protocol.FormatTime(caller.Context.CreatedAt)))
	case StandingGone:
		text = fmt.Sprintf("%s does not know %s: its world was started anew, or the %s was deleted", caller.Server, who, node)
	case StandingUnknown:
		text = fmt.Sprintf("%s does not know %s: it serves another world now, or the %s was deleted", caller.Server, who, node)
	}
	return text, a.mend(ctx, caller, told)
}

// mend returns how a caller whose context is of no use at the host gets one that is.
func (a *App) mend(ctx context.Context, c *Caller, told *protocol.BootstrapReply) string {
	if c.AgentsOnly() {
		return "export the agent again on the machine with the account, and import it: \"playctl context import FILE --replace --context " + c.Context.Name + "\""
	}
	if name := a.knownAccount(ctx, c); name != "" {
		if a.Sources.Made("context") { // a choice of this run, which "context use" would not change
			return fmt.Sprintf("--context %s uses your account of this world", name)
		}
		return fmt.Sprintf("\"playctl context use %s\" uses your account of this world", name)
	}
	if a.Sources.Made("context") && !a.Sources.ByFlag("context") {
		return fmt.Sprintf("\"playctl context rename %[1]s %[1]s-old\" keeps this account and frees the name; \"playctl create-main-node --server %[2]s\" then creates one here", c.Context.Name, c.Server)
	}
	server := " --server " + c.Server
	if first, err := c.file.Context(DefaultContext); err == nil && first.ServerURL == c.Server || err != nil && c.Server == DefaultServer {
		server = "" // The command uses it without the flag.
	}
	if told.Registration == protocol.RegistrationOpen {
		return fmt.Sprintf("\"playctl create-main-node%s\" creates an account here, in a context of its own; context %s stays as it is", server, c.Context.Name)
	}
	return fmt.Sprintf("\"playctl login --invite-file FILE\" creates an account here with an invitation from its operator, in a context of its own; context %s stays as it is", c.Context.Name)
}

// ofEarlierWorld reports whether the caller's account is of a world that the host does not
// serve any more, and the host creates accounts for everyone. A host elsewhere whose root
// key is the same may have deleted the account, which must not come back by itself.
func (a *App) ofEarlierWorld(ctx context.Context, caller *Caller) bool {
	if a.Settings.Context != "" || caller.NodeFromEnv != "" || caller.here().Name == "" {
		return false
	}
	standing, told, err := a.Standing(ctx, caller)
	switch {
	case err != nil || told.Registration != protocol.RegistrationOpen:
		return false // The next request of the command reports it.
	case standing == StandingElsewhere:
		return true
	}
	return standing == StandingGone && IsLoopbackURL(caller.Server)
}

// knownAccount returns another context for the host whose account it knows, "" for none.
func (a *App) knownAccount(ctx context.Context, c *Caller) string {
	for _, name := range c.file.Names() {
		there, err := c.file.Context(name)
		if err != nil || there.ServerURL != c.Server || there.Main == nil || name == c.Context.Name {
			continue
		}
		if standing, _, err := a.Standing(ctx, CallerOf(there)); err == nil && standing == StandingKnown {
			return name
		}
	}
	return ""
}
