package creds_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func TestBundleOpensOnlyWithItsPassphrase(t *testing.T) {
	t.Parallel()
	c, err := creds.NewContext("home", "https://play.example.com", protocol.ServicePlay, time.UnixMilli(0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	c.RootKey, c.APIKey = "root", protocol.NewSecret("pk_key")
	plain, err := creds.Bundle(c)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := creds.Encrypt(plain, protocol.NewSecret("correct horse"))
	if err != nil {
		t.Fatal(err)
	}
	if !creds.IsEncrypted(sealed) || creds.IsEncrypted(plain) || bytes.Contains(sealed, []byte("example.com")) {
		t.Errorf("the file is %s", sealed)
	}
	opened, err := creds.Decrypt(sealed, protocol.NewSecret("correct horse"))
	if err != nil || !bytes.Equal(opened, plain) {
		t.Fatalf("the bundle is opened as %s, %v", opened, err)
	}
	back, err := creds.ParseBundle("home.age", opened)
	if err != nil || !back.APIKey.Equal(c.APIKey) || back.RootKey != c.RootKey || back.Name != c.Name {
		t.Errorf("the context is %+v, %v", back, err)
	}
	// A refused passphrase takes as long as an accepted one: less time if the bundle
	// was sealed with less work.
	quick := sealQuickly(t, plain, "correct horse")
	if opened, err := creds.Decrypt(quick, protocol.NewSecret("correct horse")); err != nil || !bytes.Equal(opened, plain) {
		t.Fatalf("a file sealed with less work is opened as %s, %v", opened, err)
	}
	if _, err := creds.Decrypt(quick, protocol.NewSecret("wrong horse")); !errors.Is(err, creds.ErrPassphrase) {
		t.Errorf("another passphrase: %v", err)
	}
	damaged := bytes.Replace(quick, quick[200:204], []byte("AAAA"), 1)
	if opened, err := creds.Decrypt(damaged, protocol.NewSecret("correct horse")); err == nil {
		t.Errorf("a damaged file is opened: %s", opened)
	}
	if _, err := creds.ParseBundle("empty", []byte(`{"version":1,"contexts":{}}`)); err == nil {
		t.Error("a file without a context is accepted as a bundle")
	}
}

// sealQuickly is creds.Encrypt with the least work that the format allows.
func sealQuickly(t *testing.T, plain []byte, passphrase string) []byte {
	t.Helper()
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		t.Fatal(err)
	}
	recipient.SetWorkFactor(1)
	var out bytes.Buffer
	text := armor.NewWriter(&out)
	sealed, err := age.Encrypt(text, recipient)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = sealed.Write(plain); err == nil {
		err = errors.Join(sealed.Close(), text.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A file that states an excessive cost is refused before anything is computed.
func TestBundleOfExcessiveCostIsRefused(t *testing.T) {
	t.Parallel()
	passphrase := protocol.NewSecret("correct horse battery staple")
	recipient, err := age.NewScryptRecipient(passphrase.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	recipient.SetWorkFactor(10)
	var plain bytes.Buffer
	sealed, err := age.Encrypt(&plain, recipient)
	if err != nil {
		t.Fatal(err)
	}
	if err := sealed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cost := range []string{"20", "22", "30"} {
		var file bytes.Buffer
		text := armor.NewWriter(&file)
		_, err := text.Write(bytes.Replace(plain.Bytes(), []byte(" 10\n"), []byte(" "+cost+"\n"), 1))
		if err := errors.Join(err, text.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := creds.Decrypt(file.Bytes(), passphrase); err == nil || !strings.Contains(err.Error(), "work factor too large") {
			t.Errorf("a file of cost 2^%s: %v", cost, err)
		}
	}
}
