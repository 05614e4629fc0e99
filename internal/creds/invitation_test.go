package creds_test

import (
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func sampleInvitation() creds.Invitation {
	return creds.Invitation{
		ServerURL: "https://play.example.com", Fingerprint: strings.Repeat("0a", 32),
		RootKey: strings.Repeat("b1", 32), Token: protocol.NewSecret("pt_token"),
	}
}

func TestInvitationRoundTrip(t *testing.T) {
	t.Parallel()
	want := sampleInvitation()
	text, err := want.Text()
	if err != nil {
		t.Fatal(err)
	}
	broken := text.Reveal()[:40] + "\r\n " + text.Reveal()[40:] + "\n"
	got, err := creds.ParseInvitation(broken)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the invitation is read as %+v, %v", got, err)
	}
	// No prefix of it is an invitation.
	for n := range len(text.Reveal()) {
		if _, err := creds.ParseInvitation(text.Reveal()[:n]); !errors.Is(err, creds.ErrInvitation) {
			t.Fatalf("the first %d characters of the invitation: %v", n, err)
		}
	}
}

func TestParseInvitationRefusesInvalidText(t *testing.T) {
	t.Parallel()
	encode := func(text string) string { return "pi_" + base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for text, want := range map[string]error{
		"":                                 creds.ErrInvitation,
		"correct horse battery staple":     creds.ErrInvitation,
		encode("null"):                     creds.ErrInvitation,
		encode(`{"v":1}`):                  creds.ErrInvitation,
		encode(`{"v":2,"whatever":true}`):  creds.ErrNewerInvitation,
		"pi_" + strings.Repeat("A", 20000): creds.ErrInvitation,
		encode(`{"v":1,"u":"https://play.example.com","r":"ROOT","t":"x"}`):                                      creds.ErrInvitation,
		encode(`{"v":1,"u":"https://play.example.com/","r":"root","t":"x"}`):                                     creds.ErrInvitation,
		encode(`{"v":1,"u":"https://play.example.com","r":"root","t":"x","f":"0"}`):                              creds.ErrInvitation,
		encode(`{"v":1,"u":"http://play.example.com","r":"root","t":"x","f":"` + strings.Repeat("0", 64) + `"}`): creds.ErrInvitation,
	} {
		if _, err := creds.ParseInvitation(text); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}
	unsafe := sampleInvitation()
	unsafe.ServerURL = "http://play.example.com"
	if _, err := unsafe.Text(); err == nil {
		t.Error("an invitation without TLS contains a fingerprint")
	}
}

func TestParseFingerprint(t *testing.T) {
	t.Parallel()
	want := strings.Repeat("0a", 32)
	colons := strings.TrimSuffix(strings.Repeat("0A:", 32), ":")
	for _, text := range []string{want, strings.ToUpper(want), colons, "SHA256:" + want, "sha256 Fingerprint=" + colons + "\n"} {
		if got, err := creds.ParseFingerprint(text); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", want[1:], want + "0", "SHA1:" + want} {
		if got, err := creds.ParseFingerprint(text); !errors.Is(err, creds.ErrFingerprint) {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
}

// FuzzParseInvitation searches for a text that parses as an invitation but is not
// in its written form.
func FuzzParseInvitation(f *testing.F) {
	sample := sampleInvitation()
	text, err := sample.Text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text.Reveal())
	f.Add("pi_e30")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := creds.ParseInvitation(text)
		if err != nil {
			return
		}
		again, err := read.Text()
		if err != nil {
			t.Fatalf("%q is read as %+v, which cannot be written: %v", text, read, err)
		}
		if back, err := creds.ParseInvitation(again.Reveal()); err != nil || !reflect.DeepEqual(back, read) {
			t.Errorf("%q is read as %+v and then as %+v, %v", text, read, back, err)
		}
	})
}
