package aql

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heads returns the first lines of problems: place and message.
func heads(problems LineErrors) []string {
	var list []string
	for _, problem := range problems {
		head, _, _ := strings.Cut(problem.Error(), "\n")
		list = append(list, strings.TrimPrefix(head, "t:"))
	}
	return list
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const shop = "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\" INTO shop\n"
	for name, test := range map[string]struct {
		program  string
		scope    Scope
		mistakes []string
		warnings []string
	}{
		"a valid program": {program: shop + `LET p FROM ENV P
USE SPACE NODE $shop.nodeId PASSPHRASE $shop.phrase
ADD SPACE AMENITY car_wash
INSPECT SPACE
USE AGENT NODE Ada PASSPHRASE $p
SEND "made " $shop.spaceId
SHOW $p
SHOW "it is " $p
LET q = $p
USE AGENT NODE Ada PASSPHRASE $q
INSPECT AGENT INTO ada
SHOW $ada.agentId
REMOVE SPACE`},
		"unset variables": {
			program: "SHOW $nothing $nothing\n" + shop + "SHOW $nothing\nSHOW $shap.name $other\nLET other = $none",
			mistakes: []string{
				"1:6: there is no variable $nothing here: set it before with LET nothing = …",
				"4:6: there is no variable $shap here: did you mean $shop?",
				"4:17: there is no variable $other here: set it before with LET other = …",
				"5:13: there is no variable $none here: set it before with LET none = …",
			},
		},
		"variables of an earlier program": {program: "SHOW $x", scope: Scope{Variables: map[string]Secrecy{"x": Plain}}},
		"a secret of an earlier program": {
			program: "CONNECT $x", scope: Scope{Variables: map[string]Secrecy{"x": Secret}},
			mistakes: []string{"1:9: $x is a secret: it can only be used after PASSPHRASE"},
		},
		"statements before a required one": {
			program: "ADD SPACE AMENITY shop\nREMOVE SPACE AMENITY shop\nREMOVE SPACE\nINSPECT SPACE\nSEND \"x\"\nINSPECT AGENT",
			mistakes: []string{
				"1:1: ADD SPACE AMENITY needs a space in use: put USE SPACE NODE … PASSPHRASE … before it",
				"2:1: REMOVE SPACE AMENITY needs a space in use: put USE SPACE NODE … PASSPHRASE … before it",
				"3:1: REMOVE SPACE needs a space in use: put USE SPACE NODE … PASSPHRASE … before it, or give the space",
				"4:1: INSPECT SPACE needs a space in use: put USE SPACE NODE … PASSPHRASE … before it, or give the space",
				"5:1: SEND needs an agent in use: put USE AGENT NODE … before it",
				"6:1: INSPECT AGENT needs an agent in use: put USE AGENT NODE … before it, or give the agent",
			},
		},
		"nodes of an earlier program": {program: "ADD SPACE AMENITY shop\nSEND \"x\"", scope: Scope{Space: true, Agent: true}},
		"CONNECT clears the nodes": {
			program: "CONNECT\nSEND \"x\"", scope: Scope{Space: true, Agent: true},
			mistakes: []string{"2:1: SEND needs an agent in use: put USE AGENT NODE … before it"},
		},
		"a removed space is not in use": {
			program: "REMOVE SPACE\nADD SPACE AMENITY shop", scope: Scope{Space: true},
			mistakes: []string{"2:1: ADD SPACE AMENITY needs a space in use: put USE SPACE NODE … PASSPHRASE … before it"},
		},
		"amenities": {
			program: "CREATE SPACE \"a\" DESIGN \"b\" OWNER \"c\" AMENITIES shop, zoo, shop\nUSE SPACE NODE a\n ADD SPACE AMENITY Shop",
			mistakes: []string{
				`1:55: unknown amenity "zoo"; use shop, supermarket or car_wash`,
				`1:60: the amenity "shop" is listed twice`,
				`3:20: unknown amenity "Shop"; use shop, supermarket or car_wash`,
			},
		},
		"secrets in visible places": {
			program: shop + `LET p FROM PROMPT
USE AGENT NODE $p
SEND "x" $p
LET all = "my " $p
SEND $all
SEND $shop.phrase
LET copy = $shop
INSPECT SPACE $copy.phrase
LET q FROM FILE $p
SHOW $p.length`,
			mistakes: []string{
				"3:16: $p is a secret: it can only be used after PASSPHRASE",
				"4:10: $p is a secret: it can only be used after PASSPHRASE",
				"6:6: $all is a secret: it can only be used after PASSPHRASE",
				"7:6: $shop.phrase is a secret: it can only be used after PASSPHRASE",
				"9:15: $copy.phrase is a secret: it can only be used after PASSPHRASE",
				"10:17: $p is a secret: it can only be used after PASSPHRASE",
				"11:6: $p is a secret, which has no fields",
			},
		},
		"literal passphrases": {
			program: "LET p = \"correct horse\"\nUSE AGENT NODE Ada PASSPHRASE $p\nSEND $p\nUSE AGENT NODE Ada PASSPHRASE \"battery\"",
			mistakes: []string{
				"3:6: $p is a secret: it can only be used after PASSPHRASE",
			},
			warnings: []string{
				"2:31: the passphrase in $p is not a secret: set the variable with LET p FROM ENV, FILE or PROMPT",
				"4:31: the passphrase is written in the program: use a variable, with LET pass FROM ENV, FILE or PROMPT",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := Parse("t", test.program)
			if err != nil {
				t.Fatal(err)
			}
			warnings, err := program.Check(test.scope)
			var mistakes LineErrors
			if err != nil && !errors.As(err, &mistakes) {
				t.Fatalf("the error is %v", err)
			}
			if diff := cmp.Diff(test.mistakes, heads(mistakes)); diff != "" {
				t.Errorf("mistakes: %s", diff)
			}
			if diff := cmp.Diff(test.warnings, heads(warnings)); diff != "" {
				t.Errorf("warnings: %s", diff)
			}
			if strings.Contains(warnings.Error(), "battery") {
				t.Errorf("a warning repeats the passphrase:\n%v", warnings)
			}
		})
	}
}
