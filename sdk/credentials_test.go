package sdk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// The hash of the phrase is public knowledge: SHA-256 of its normalized text.
func TestHashOfPassphrase(t *testing.T) {
	const want = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9" // of "hello world"
	for _, phrase := range []string{"hello world", "  hello \t\u00A0 world\uFEFF\n"} {
		got, err := sdk.NodeCredentialsMaterialFromHumanPassphrase(phrase)
		if err != nil || got.Reveal() != want {
			t.Errorf("%q: %s, %v", phrase, got.Reveal(), err)
		}
	}
	for _, phrase := range []string{"", " \n", "\xff"} {
		if _, err := sdk.NodeCredentialsMaterialFromHumanPassphrase(phrase); !errors.Is(err, sdk.ErrCredentials) {
			t.Errorf("%q: %v", phrase, err)
		}
	}
}

func TestDerivedIDs(t *testing.T) {
	const (
		phrase = "amber angle apple arch atlas aura autumn bamboo beacon birch"
		root   = "87b6637b010478e48a83a8d445041ae4df5d607df7932153cdfee5c601e8e39e"
		want   = "97d042c892d6f85aeb2458d4684b9de7269b1ae582af4de62f081936fd743951"
	)
	node, err := sdk.NewNodeCredentials(protocol.NewSecret(phrase), " "+strings.ToUpper(root)+"\n")
	if err != nil {
		t.Fatal(err)
	}
	material, err := sdk.NodeCredentialsMaterialFromHumanPassphrase(phrase)
	if err != nil {
		t.Fatal(err)
	}
	id, err := sdk.DeriveNodeIDFromMaterial(material, root)
	if err != nil || id != want || node.NodeID != want || !node.Phrase.IsZero() || !node.PasswHash.Equal(material) {
		t.Errorf("id %s, %v; node %+v", id, err, node)
	}
	if _, err := sdk.DeriveNodeIDFromMaterial(protocol.NewSecret(phrase), root); !errors.Is(err, sdk.ErrCredentials) {
		t.Errorf("a phrase instead of the hash: %v", err)
	}
	if _, err := sdk.NewNodeCredentials(protocol.NewSecret("p"), ""); !errors.Is(err, sdk.ErrCredentials) {
		t.Errorf("no root key: %v", err)
	}
}

func TestGenerateNodePassphrase(t *testing.T) {
	a, b := sdk.GenerateNodePassphrase(), sdk.GenerateNodePassphrase()
	if len(strings.Fields(a.Reveal())) != 10 || a.Equal(b) {
		t.Error("phrases are not ten words, or repeat")
	}
}

func TestLoadRootKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root")
	want := strings.Repeat("0c", 32)
	if err := os.WriteFile(path, []byte(want+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := sdk.LoadRootKey(path); err != nil || got != want {
		t.Errorf("LoadRootKey = %s, %v", got, err)
	}
}
