package creds

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/playctl/playctl/protocol"
)

// maxBundle bounds the size of a bundle, encrypted or not.
const maxBundle = credentialsLimit

// maxWorkFactor is the largest base-2 logarithm of the cost of a passphrase: twice what
// age sets. A file may state any, and 19 takes 512 MiB and some seconds.
const maxWorkFactor = 19

// ErrPassphrase is returned for a passphrase that does not open a bundle.
var ErrPassphrase = errors.New("the passphrase does not decrypt the file")

// Bundle returns a context as a portable file: a credentials file with nothing
// else.
func Bundle(c *Context) ([]byte, error) {
	f := NewFile()
	if err := f.Add(c); err != nil {
		return nil, err
	}
	return f.encode()
}

// ParseBundle returns the one context of a bundle. path is only for the *FileError.
func ParseBundle(path string, data []byte) (*Context, error) {
	f, err := ParseFile(path, data)
	if err != nil {
		return nil, err
	}
	names := f.Names()
	if len(names) != 1 {
		return nil, &FileError{Path: path, Problem: fmt.Sprintf("it has %d contexts, and one is expected: \"playctl credentials import\" takes one of several", len(names))}
	}
	return f.Context(names[0])
}

// Encrypt encrypts a bundle with a passphrase: an age file (age-encryption.org/v1)
// in its text form, with a scrypt recipient.
func Encrypt(plain []byte, passphrase protocol.Secret) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(passphrase.Reveal())
	if err != nil {
		return nil, fmt.Errorf("encrypt the context: %w", err)
	}
	var out bytes.Buffer
	text := armor.NewWriter(&out)
	sealed, err := age.Encrypt(text, recipient)
	if err != nil {
		return nil, fmt.Errorf("encrypt the context: %w", err)
	}
	if _, err = sealed.Write(plain); err == nil {
		err = errors.Join(sealed.Close(), text.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("encrypt the context: %w", err)
	}
	return out.Bytes(), nil
}

// IsEncrypted reports whether a file is an age file in text form.
func IsEncrypted(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte(armor.Header))
}

// Decrypt decrypts the output of Encrypt; the error for a wrong passphrase is
// ErrPassphrase.
func Decrypt(data []byte, passphrase protocol.Secret) ([]byte, error) {
	identity, err := age.NewScryptIdentity(passphrase.Reveal())
	if err != nil {
		return nil, fmt.Errorf("open the context: %w", err)
	}
	identity.SetMaxWorkFactor(maxWorkFactor)
	plain, err := age.Decrypt(armor.NewReader(bytes.NewReader(data)), identity)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("open the context: %w", err)
	}
	opened, err := io.ReadAll(io.LimitReader(plain, maxBundle))
	if err != nil {
		return nil, fmt.Errorf("open the context: %w", err)
	}
	return opened, nil
}
