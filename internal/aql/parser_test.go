package aql

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// withoutPlaces compares statements by their content, not by their position.
var withoutPlaces = cmp.Options{cmpopts.IgnoreTypes(lexer.Position{}), cmpopts.IgnoreFields(Line{}, "Column"), cmpopts.IgnoreUnexported(Line{})}

func TestFormat(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"connect":                       "CONNECT",
		"Connect http://127.0.0.1:7420": `CONNECT "http://127.0.0.1:7420"`,
		"CONNECT context home # mine":   `CONNECT CONTEXT "home"  # mine`,
		"#":                             "#",
		"  #  a  comment ":              "# a  comment",
		"":                              "",
		`let x="a""b" $y.0.name`:        `LET x = "a" "b" $y.0.name`,
		"LET Übung = $größe.feld-1":     "LET Übung = $größe.feld-1",
		"let p from env PASS":           "LET p FROM ENV PASS",
		`let p from env "FROM"`:         `LET p FROM ENV "FROM"`,
		"let p from file ./p.txt":       `LET p FROM FILE "./p.txt"`,
		"let p from prompt":             "LET p FROM PROMPT",
		`let p from prompt "Phrase?"`:   `LET p FROM PROMPT "Phrase?"`,
		`create space a into s owner b amenities shop,"car_wash",$k design c`: "",
		`create space "a" into s owner "b" amenities shop,"car_wash",$k design "c" keyfile k structure "st" description "d"`: `CREATE SPACE "a" DESIGN "c" OWNER "b" DESCRIPTION "d" STRUCTURE "st" ` +
			`AMENITIES shop, car_wash, $k KEYFILE "k" INTO s`,
		"use space node 0123abcd passphrase $p": `USE SPACE NODE "0123abcd" PASSPHRASE $p`,
		"use agent node Ada":                    `USE AGENT NODE "Ada"`,
		"add space amenity shop":                "ADD SPACE AMENITY shop",
		`remove space amenity "zoo"`:            `REMOVE SPACE AMENITY "zoo"`,
		"remove space":                          "REMOVE SPACE",
		"remove space $s.spaceId":               "REMOVE SPACE $s.spaceId",
		"inspect space into s":                  "INSPECT SPACE INTO s",
		"inspect space Mill into s":             `INSPECT SPACE "Mill" INTO s`,
		"inspect main node into m":              "INSPECT MAIN NODE INTO m",
		"inspect agent":                         "INSPECT AGENT",
		"inspect agent Ada into ada":            `INSPECT AGENT "Ada" INTO ada`,
		`send "a\n\t\"\\\u{1F33B}"`:             `SEND "a\n\t\"\\🌻"`,
		"send \"\u00a0\u200d\"":                 `SEND "\u{A0}\u{200D}"`,
		"fetch occupants into space":            "FETCH OCCUPANTS INTO space",
		"FETCH metadata":                        "FETCH METADATA",
		"FETCH\tSNAPSHOT":                       "FETCH SNAPSHOT",
		"show spaces":                           "SHOW SPACES",
		`SHOW "a" $b`:                           `SHOW "a" $b`,
	} {
		if want == "" && in != "" {
			if _, err := Parse("t", in); err == nil {
				t.Errorf("%q is accepted", in)
			}
			continue
		}
		program, err := Parse("t", in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := strings.TrimSuffix(program.Format(), "\n"); got != want {
			t.Errorf("%q becomes\n%s, want\n%s", in, got, want)
		}
	}
}

func TestProgramKeepsItsLines(t *testing.T) {
	t.Parallel()
	program, err := Parse("t", "\uFEFFCONNECT\r\n\r\n# two\r\nFETCH METADATA\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := &Program{Source: "t", Lines: []Line{
		{Number: 1, Statement: Connect{Verb: "CONNECT"}}, {Number: 2},
		{Number: 3, Comment: "two", Commented: true},
		{Number: 4, Statement: Fetch{Verb: "FETCH METADATA"}},
	}}
	if diff := cmp.Diff(want, program, withoutPlaces); diff != "" {
		t.Error(diff)
	}
	if at := program.Lines[3].Column; at != 1 {
		t.Errorf("the last statement is at %d", at)
	}
}

// Each mistake is reported with its place, its line and a caret.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"CRAETE SPACE":                           `1:1: expected CONNECT, LET, CREATE, USE, ADD, REMOVE, INSPECT, SEND, FETCH or SHOW, found "CRAETE"; did you mean CREATE?`,
		"CREATE":                                 "1:7: expected SPACE, found the end of the line",
		`CREATE SPACE "a" OWNER "b"`:             `1:27: DESIGN is missing: the key of the space's design, such as DESIGN "bazaar"`,
		`CREATE SPACE "a" DESIGN "b"`:            `1:28: OWNER is missing: the display name of the space's owner, such as OWNER "Ada"`,
		`CREATE SPACE "a" DESIGN "b" DESIGN "c"`: `1:29: expected OWNER, DESCRIPTION, STRUCTURE, AMENITIES, KEYFILE or INTO, found "DESIGN"`,
		`CREATE SPACE Mill DESIGN "b" OWNER "c"`: `1:14: expected quoted text or a variable, found the word "Mill": put it in quotes if it is text`,
		`SEND hello`:                             `1:6: expected quoted text or a variable, found the word "hello": put it in quotes if it is text`,
		`SEND "x" hello`:                         `1:10: expected quoted text or a variable, found the word "hello": put it in quotes if it is text`,
		"LET $x = 1":                             "1:5: a variable is set without the $: write x",
		"LET 1x = 1":                             `1:5: "1x" cannot name a variable: use letters, digits and _, a letter first`,
		"LET x":                                  "1:6: expected FROM or =, found the end of the line",
		"LET x FROM TAPE":                        `1:12: expected ENV, FILE or PROMPT, found "TAPE"`,
		"LET x FROM ENV":                         "1:15: expected the name of an environment variable, found the end of the line",
		`SHOW "x";`:                              `1:9: a statement ends with its line: omit the ";"`,
		"SHOW VARIABLES ;":                       "1:16: a statement ends with its line: omit the \";\"",
		"FETCH OCUPANTS":                         `1:7: expected OCCUPANTS, METADATA or SNAPSHOT, found "OCUPANTS"; did you mean OCCUPANTS?`,
		"FETCH METADATA INTO":                    "1:20: expected the name of a variable, found the end of the line",
		"FETCH METADATA now":                     `1:16: expected INTO, found "now"`,
		"CONNECT a b":                            `1:11: expected the end of the statement, found "b"`,
		"USE SPACE":                              "1:10: expected NODE, found the end of the line",
		"USE SPACE NODE PASSPHRASE $p":           `1:16: expected a space node, found the word "PASSPHRASE": put it in quotes if it is text`,
		"SHOW $":                                 "1:6: the name of a variable is missing after $: it starts with a letter",
		"SHOW $x.":                               "1:9: the name of a field is missing after the dot",
		`SHOW "x`:                                `1:6: the text has no end: a " is missing`,
		`SHOW "x\`:                               `1:8: the text has no end: a " is missing`,
		`SHOW "\x"`:                              `1:7: unknown escape: use \", \\, \n, \t or \u{1F33B}`,
		`SHOW "\u{D800}"`:                        `1:7: a character is written as \u{…} with its number in hex digits, such as \u{1F33B}`,
		"SHOW \x01":                              "1:6: there is a control character here (U+0001)",
		"SHOW \"\x1b[2J\"":                       `1:7: there is a control character in the text: write it as \u{1B}`,
		"SHOW \"é\xff\"":                         "1:8: this is not UTF-8 text: save the program as UTF-8",
		"# \x07":                                 "1:1: the comment holds a control character",
		"\n\n  ADD SPACE AMENITY":                "3:20: expected an amenity, found the end of the line",
		`SEND "日本"  日本`:                          `1:12: expected quoted text or a variable, found the word "日本": put it in quotes if it is text`,
	} {
		_, err := Parse("t", in)
		if err == nil {
			t.Errorf("%q is accepted", in)
			continue
		}
		if got, _, _ := strings.Cut(err.Error(), "\n"); got != "t:"+want {
			t.Errorf("%q gives\n%s, want\n%s", in, got, "t:"+want)
		}
	}
}

func TestMistakesShowLine(t *testing.T) {
	t.Parallel()
	_, err := Parse("town.aql", "CONNECT\n\tSEND \"日本 e\u0301\" $\nSHOW \"x\nUSE SPACE NODE \"a\" PASSPHRASE correct horse\n")
	want := `town.aql:2:15: the name of a variable is missing after $: it starts with a letter
 2 |  SEND "日本 é" $
   |                ^
town.aql:3:6: the text has no end: a " is missing
 3 | SHOW "x
   |      ^
town.aql:4:31: a passphrase is a variable or quoted text
 4 | USE SPACE NODE "a" PASSPHRASE *************
   |                               ^`
	if err == nil || err.Error() != strings.ReplaceAll(want, "é", "e\u0301") {
		t.Errorf("the mistakes are\n%v, want\n%s", err, want)
	}
}

// A word that is too long to repeat is truncated, not the message.
func TestLongWordsAreTruncated(t *testing.T) {
	t.Parallel()
	_, err := Parse("t", strings.Repeat("é", 5000))
	if message, _, _ := strings.Cut(err.Error(), "\n"); strings.Count(message, "é") != longestQuoted {
		t.Errorf("the message is %s", message)
	}
}

// The meaning of each line of the corpus does not change: its canonical form, or
// the place of its first mistake.
func TestCorpus(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "statements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		in, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		statement, err := strconv.Unquote(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		program, err := Parse("t", statement)
		got := strconv.Quote(strings.TrimSuffix(program.Format(), "\n"))
		if mistakes, ok := err.(LineErrors); ok { //nolint:errorlint // Parse returns it unwrapped
			got = fmt.Sprintf("%d:%d", mistakes[0].Line, mistakes[0].Column)
		}
		if got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}
