package client

import (
	"context"
	"sync"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// apiKey is the key of an account, which all callers of the account share.
type apiKey struct {
	reload func(context.Context) (protocol.Secret, error) // nil if there is only one key
	// reloading is held while a key is reloaded: other calls may use the present one
	// meanwhile.
	reloading sync.Mutex

	mu sync.Mutex
	// had are the keys so far, the current one last. Hosts may repeat any of them in
	// answers, so all of them are kept out of errors.
	had []protocol.Secret
}

func newAPIKey(key protocol.Secret, reload func(context.Context) (protocol.Secret, error)) *apiKey {
	return &apiKey{reload: reload, had: []protocol.Secret{key}}
}

// current returns the current key.
func (k *apiKey) current() protocol.Secret {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.had[len(k.had)-1]
}

func (k *apiKey) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	texts := make([]string, len(k.had))
	for i, key := range k.had {
		texts[i] = key.Reveal()
	}
	return texts
}

// replace reports whether there is another key than the one that a host refused. It
// requests one unless another call did so meanwhile.
func (k *apiKey) replace(ctx context.Context, refused protocol.Secret) bool {
	k.reloading.Lock()
	defer k.reloading.Unlock()
	if !k.current().Equal(refused) {
		return true
	}
	if k.reload == nil {
		return false
	}
	fresh, err := k.reload(ctx)
	fresh = protocol.NewSecret(protocol.TrimSpace(fresh.Reveal()))
	if err != nil || fresh.IsZero() || fresh.Equal(refused) || !creds.FitsHeader(fresh.Reveal()) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.had = append(k.had, fresh)
	return true
}
