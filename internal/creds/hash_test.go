package creds

import (
	"errors"
	"strings"
	"testing"
)

func TestParsePasswHash(t *testing.T) {
	good := HashPhrase("amber").Reveal()
	if hash, err := ParsePasswHash(good); err != nil || !hash.Equal(HashPhrase("amber").Secret) {
		t.Errorf("ParsePasswHash of a hash: %v", err)
	}
	for name, text := range map[string]string{
		"empty": "", "short": good[1:], "long": good + "0", "upper case": strings.ToUpper(good),
		"space before": " " + good[1:], "line break after": good + "\n", "not hex": "g" + good[1:],
		"a phrase": "amber angle apple arch atlas aura autumn bamboo beacon birch", "two-byte letter": "é" + good[2:],
	} {
		hash, err := ParsePasswHash(text)
		if !errors.Is(err, ErrPasswHash) || !hash.IsZero() {
			t.Errorf("%s: error %v", name, err)
		}
		if err != nil && len(text) > 3 && strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error quotes its input", name)
		}
	}
}
