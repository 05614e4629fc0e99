package sdk_test

import (
	"testing"
)

func TestWatchTokensAreListedAndRevoked(t *testing.T) {
	w := openWorld(t, openHost(t), nil)
	for range 2 {
		if link, err := w.CreateWatchToken(t.Context()); err != nil || link.Token.IsZero() || link.URL == "" {
			t.Fatalf("a token: %v, %v", link, err)
		}
	}
	tokens, err := w.WatchTokens(t.Context())
	if err != nil || len(tokens) != 2 {
		t.Fatalf("the tokens: %v, %v, want 2", tokens, err)
	}
	for _, want := range []bool{true, false} {
		if revoked, err := w.RevokeWatchToken(t.Context(), tokens[0].ID); err != nil || revoked != want {
			t.Errorf("revoked %t, %v, want %t", revoked, err, want)
		}
	}
	left, err := w.WatchTokens(t.Context())
	if err != nil || len(left) != 1 || left[0] != tokens[1] {
		t.Errorf("the remaining tokens are %v, %v, want %v", left, err, tokens[1:])
	}
}
