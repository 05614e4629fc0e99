package redis

import (
	"strings"
	"testing"
)

func TestParseCredentials(t *testing.T) {
	t.Parallel()
	var name, word string
	into := map[string]*string{"username": &name, "password": &word}
	text := "# of the arena\r\n\r\nusername=arena\r\npassword= two=words \n"
	if err := parseCredentials(text, into); err != nil || name != "arena" || word != " two=words " {
		t.Errorf("parsed %q and %q: %v", name, word, err)
	}
	for text, problem := range map[string]string{
		"":                      "it is empty",
		"# only this\n":         "it is empty",
		"password=a\nhunter2\n": "line 2 must be one of",
		"hunter2=password":      "line 1 must be one of",
	} {
		err := parseCredentials(text, into)
		if err == nil || !strings.Contains(err.Error(), problem) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A file of any content is parsed or refused, and the error repeats none of it.
func FuzzParseCredentials(f *testing.F) {
	f.Add("username=a\npassword=b\n")
	f.Add("password")
	f.Add("=\n#\n")
	f.Fuzz(func(t *testing.T, text string) {
		const secret = "7c1d9a4052b3"
		var name, word string
		err := parseCredentials(text+"\n"+secret, map[string]*string{"username": &name, "password": &word})
		if err == nil {
			t.Fatal("an invalid line was accepted")
		}
		if strings.Contains(err.Error(), secret) {
			t.Fatalf("the error contains the content of the file: %v", err)
		}
		err = parseCredentials(text, map[string]*string{"username": &name, "password": &word})
		if err == nil && name == "" && word == "" && !strings.Contains(text, "=") {
			t.Fatalf("%q was accepted although it is empty", text)
		}
	})
}
