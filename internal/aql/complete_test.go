package aql

import (
	"strings"
	"testing"
)

// names returns a function that lists names for completion.
func names(all ...string) func() []string { return func() []string { return all } }

func TestComplete(t *testing.T) {
	t.Parallel()
	known := Known{Variables: []string{"shop", "pass"}, Agents: names("Ada", "Bo B"), Contexts: names("home"), Spaces: names("Corner shop")}
	for line, want := range map[string]string{
		"":                          "|CONNECT |LET |CREATE |USE |ADD |REMOVE |INSPECT |SEND |FETCH |SHOW ",
		"f":                         "|fetch ",
		"FETCH ":                    "FETCH |OCCUPANTS |METADATA |SNAPSHOT ",
		"fetch o":                   "fetch |occupants ",
		"FETCH OCCUPANTS ":          "FETCH OCCUPANTS |INTO ",
		"FETCH OCCUPANTS INTO ":     "FETCH OCCUPANTS INTO |",
		"ADD SPACE AMENITY s":       "ADD SPACE AMENITY |shop |supermarket ",
		"USE AGENT NODE ":           `USE AGENT NODE |"Ada" |"Bo B" |$shop |$pass `,
		"USE AGENT NODE A":          `USE AGENT NODE |"Ada" `,
		`USE AGENT NODE "b`:         `USE AGENT NODE |"Bo B" `,
		"USE AGENT NODE $p":         "USE AGENT NODE |$pass ",
		"USE AGENT NODE Ada ":       "USE AGENT NODE Ada |PASSPHRASE ",
		"CONNECT ":                  "CONNECT |CONTEXT |$shop |$pass ",
		"CONNECT CONTEXT ":          `CONNECT CONTEXT |"home" |$shop |$pass `,
		`CREATE SPACE "a" `:         `CREATE SPACE "a" |DESIGN |OWNER |DESCRIPTION |STRUCTURE |AMENITIES |KEYFILE |INTO `,
		`CREATE SPACE "a" OWNER "b`: `CREATE SPACE "a" OWNER |`,
		"INSPECT SPACE ":            `INSPECT SPACE |INTO |"Corner shop" |$shop |$pass `,
		`USE SPACE NODE "c`:         `USE SPACE NODE |"Corner shop" `,
		`SEND "FETCH `:              `SEND "FETCH |`,
		"SEND x ":                   "SEND x |",
		"CONNECT # FE":              "CONNECT # |",
		"SHOW \x01 ":                "SHOW \x01 |",
	} {
		start, words := Complete(line, known)
		if got := line[:start] + "|" + strings.Join(words, "|"); got != want && got != strings.TrimSuffix(want, "|") {
			t.Errorf("%q is completed with\n%q, want\n%q", line, got, want)
		}
	}
}
