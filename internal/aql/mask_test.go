package aql

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHoldsSecret(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		`USE SPACE NODE "a" PASSPHRASE "one two"`:     true,
		`use agent node Ada passphrase one`:           true,
		`USE AGENT NODE Ada PASSPHRASE"x`:             true,
		`USE AGENT NODE Ada PASSPHRASE $p`:            false,
		`USE AGENT NODE Ada PASSPHRASE`:               false,
		`PASSPHRASE $p PASSPHRASE words`:              true,
		`LET p FROM ENV PASS`:                         false,
		`CREATE SPACE "a" DESIGN "b" OWNER "c"`:       false,
		"USE AGENT NODE \xff PASSPHRASE \"\xff one\"": true,
	} {
		if HoldsSecret(line) != want {
			t.Errorf("%q contains a secret: %v", line, !want)
		}
	}
}

func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	session := []string{
		`LET name = "Ada"`,
		`LET p = "one two"`,
		`LET q = $p`,
		`LET r FROM ENV R`,
		`FETCH OCUPANTS`,
		`USE AGENT NODE $name PASSPHRASE $q`,
		`USE AGENT NODE $name PASSPHRASE "three four"`,
		`USE SPACE NODE "a" PASSPHRASE $r`,
		`LET p = "not any more"`,
	}
	want := []string{session[0], session[3], session[4], session[5], session[7], session[8]}
	if diff := cmp.Diff(want, WithoutSecrets(session)); diff != "" {
		t.Error(diff)
	}
}
