package command

import (
	"context"
	"errors"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// CallerWithAccount is Caller for commands that make the account where there is none, also
// in a context that is not there yet. At a host without nodes the caller has none.
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
