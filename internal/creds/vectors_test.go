package creds

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// vectors is testdata/credentials.json: known answers for
// "Credentials" in the protocol reference, made by another implementation.
type vectors struct {
	RootKeys []string `json:"rootKeys"`
	Phrases  []struct {
		Label      string   `json:"label"`
		Phrase     string   `json:"phrase"`
		Normalized string   `json:"normalised"`
		PasswHash  string   `json:"passwHash"`
		NodeIDs    []string `json:"nodeIds"`
	} `json:"phrases"`
	RootKeyFromSecret []struct {
		SecretHex string `json:"secretHex"`
		RootKey   string `json:"rootKey"`
	} `json:"rootKeyFromSecret"`
}

func loadVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/credentials.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Phrases) == 0 || len(v.RootKeys) == 0 || len(v.RootKeyFromSecret) == 0 {
		t.Fatal("the vectors are empty")
	}
	return v
}

func TestVectorsNormalizeAndHash(t *testing.T) {
	for _, c := range loadVectors(t).Phrases {
		t.Run(c.Label, func(t *testing.T) {
			if got := protocol.NormalizePhrase(c.Phrase); got != c.Normalized {
				t.Errorf("protocol.NormalizePhrase(%q) = %q, want %q", c.Phrase, got, c.Normalized)
			}
			if got := HashPhrase(c.Phrase).Reveal(); got != c.PasswHash {
				t.Errorf("HashPhrase(%q) = %s, want %s", c.Phrase, got, c.PasswHash)
			}
		})
	}
}

func TestVectorsNodeID(t *testing.T) {
	v := loadVectors(t)
	for _, c := range v.Phrases {
		for j, rootKey := range v.RootKeys {
			t.Run(c.Label+" under "+rootKey, func(t *testing.T) {
				t.Parallel()
				got, err := DeriveNodeID(HashPhrase(c.Phrase), rootKey)
				if err != nil || got != c.NodeIDs[j] {
					t.Errorf("DeriveNodeID = %s, %v, want %s", got, err, c.NodeIDs[j])
				}
			})
		}
	}
}

func TestVectorsRootKeyFromSecret(t *testing.T) {
	for _, c := range loadVectors(t).RootKeyFromSecret {
		secretBytes, err := hex.DecodeString(c.SecretHex)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := RootKeyFromSecret(secretBytes); err != nil || got != c.RootKey {
			t.Errorf("RootKeyFromSecret(%s) = %s, %v, want %s", c.SecretHex, got, err, c.RootKey)
		}
	}
}
