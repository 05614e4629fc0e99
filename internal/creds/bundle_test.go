package creds_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func TestABundleIsOpenedByItsPassphraseAlone(t *testing.T) {
	t.Parallel()
	c, err := creds.NewContext("home", "https://play.example.com", creds.ServicePlay, time.UnixMilli(0).UTC())
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
		t.Fatalf("it is opened as %s, %v", opened, err)
	}
	back, err := creds.ParseBundle("home.age", opened)
	if err != nil || !back.APIKey.Equal(c.APIKey) || back.RootKey != c.RootKey || back.Name != c.Name {
		t.Errorf("the context is %+v, %v", back, err)
	}
	if _, err := creds.Decrypt(sealed, protocol.NewSecret("wrong horse")); !errors.Is(err, creds.ErrPassphrase) {
		t.Errorf("another passphrase: %v", err)
	}
	damaged := bytes.Replace(sealed, sealed[200:204], []byte("AAAA"), 1)
	if opened, err := creds.Decrypt(damaged, protocol.NewSecret("correct horse")); err == nil {
		t.Errorf("a damaged file is opened: %s", opened)
	}
	if _, err := creds.ParseBundle("empty", []byte(`{"version":1,"contexts":{}}`)); err == nil {
		t.Error("a file without a context is a bundle")
	}
}
