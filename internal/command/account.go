package command

import (
	"context"
	"errors"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// CallerWithAccount is Caller for commands that create the account if it is missing, even
// in a context that does not exist yet. At a host without nodes the caller has no
// account.
func (a *App) CallerWithAccount(ctx context.Context) (*Caller, error) {
	who, err := a.Caller()
	if err != nil && !errors.Is(err, creds.ErrContextUnknown) {
		return nil, err
	}
	if err == nil && !who.Main.IsZero() {
		return who, nil
	}
	if err := a.MakeMainNode(ctx, a.KeptPhrase()); err != nil && !protocol.HasCode(err, protocol.CodeRepositoryOff) {
		return nil, err
	}
	return a.Caller()
}

// OwnAgent finds an agent of the caller's account, or creates one if the account has none
// of that name, and returns the updated caller. If a context keeps the account, it keeps
// the new agent too; for an account from the environment alone, the agent's credentials
// are derived from the account's credentials and the name, so that every run finds the
// same agent.
func (a *App) OwnAgent(ctx context.Context, who *Caller, name string) (AgentRef, *Caller, error) {
	ref, err := a.FindAgent(ctx, who, name, SeekOwn)
	if !errors.Is(err, ErrNoAgent) {
		return ref, who, err
	}
	if !who.Keeps() {
		ref, err = a.MakeNamedAgent(ctx, who, name)
		return ref, who, err
	}
	if err := a.MakeAgentNode(ctx, name, a.KeptPhrase()); err != nil {
		return AgentRef{}, who, err
	}
	now, err := a.Caller()
	if err != nil {
		return AgentRef{}, who, err
	}
	ref, err = a.FindAgent(ctx, now, name, SeekOwn)
	return ref, now, err
}
