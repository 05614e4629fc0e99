// Package creds handles the credentials of callers: phrases and their hashes, node
// ids, root key files, API keys and tokens, and the credentials file of a user with
// its named contexts.
//
// The steps from a phrase to a node id are one-way:
//
//	phrase -> protocol.NormalizePhrase -> HashPhrase -> PasswHash -> DeriveNodeID -> nodeId
//
// A phrase is hashed once, where it was entered, and only the PasswHash is sent. A
// host derives an id only when a node is created, through a Deriver that bounds the
// cost; from then on it compares StoredDigest values, which takes microseconds.
//
// Values that must stay secret have the types protocol.Secret and PasswHash,
// which print as a placeholder and refuse to be encoded.
//
// Nothing here reads the process environment, the home folder or the working
// folder: callers pass them in as an Environment.
package creds

import (
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/playctl/playctl/protocol"
)

// PhraseWords is the number of words in a generated phrase: 10 words of a list of
// 2,048 are 110 bits.
const PhraseWords = 10

// phraseListSize is the size of the BIP-39 English list. Because it is a power of
// two, 11 random bits select a word without bias.
const phraseListSize = 2048

// phraseList is the BIP-39 English list, a word a line.
//
//go:embed words.txt
var phraseList string

// phraseWords are the words of the list. The package that publishes it splits the
// lists of nine languages in every process, which would delay every command.
var phraseWords = sync.OnceValue(func() []string { return strings.Fields(phraseList) })

// ErrPhraseEmpty is returned for a phrase of white space only.
var ErrPhraseEmpty = errors.New("the phrase is empty: it needs at least one word")

// ErrPhraseNotUTF8 is returned for a phrase that is not valid UTF-8, which two
// programs could hash differently.
var ErrPhraseNotUTF8 = errors.New("the phrase is not valid UTF-8: save it as UTF-8 text and try again")

// GeneratePhrase returns PhraseWords words drawn uniformly and independently
// with the system's CSPRNG from the BIP-39 English word list, joined by single
// spaces. It panics if the system has no randomness (crypto/rand never fails
// on a working system).
func GeneratePhrase() protocol.Secret {
	phrase, err := phraseFrom(rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("creds: the system's random source failed: %v", err))
	}
	return protocol.NewSecret(phrase)
}

// PhraseFault returns how a phrase differs from the form of GeneratePhrase, "" if
// it does not. It repeats no word. A phrase that a person chose may well differ.
func PhraseFault(phrase protocol.Secret) string {
	words := strings.Fields(phrase.Reveal())
	if len(words) != PhraseWords {
		unit := "words"
		if len(words) == 1 {
			unit = "word"
		}
		return fmt.Sprintf("it has %d %s, but phrases that playctl creates have %d", len(words), unit, PhraseWords)
	}
	for i, word := range words {
		if !slices.Contains(phraseWords(), word) {
			return fmt.Sprintf("its word %d is not one that playctl uses in phrases", i+1)
		}
	}
	return ""
}

// phraseFrom draws a phrase from random, two bytes for each word.
func phraseFrom(random io.Reader) (string, error) {
	var raw [2 * PhraseWords]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("generate a phrase: %w", err)
	}
	words := make([]string, PhraseWords)
	for i := range words {
		words[i] = phraseWords()[binary.BigEndian.Uint16(raw[2*i:])%phraseListSize]
	}
	return strings.Join(words, " "), nil
}

// ParsePhrase normalizes a phrase from a person or a file. The error is
// ErrPhraseEmpty or ErrPhraseNotUTF8; it never contains the text.
func ParsePhrase(text string) (protocol.Secret, error) {
	if !utf8.ValidString(text) {
		return protocol.Secret{}, ErrPhraseNotUTF8
	}
	phrase := protocol.NormalizePhrase(text)
	if phrase == "" {
		return protocol.Secret{}, ErrPhraseEmpty
	}
	return protocol.NewSecret(phrase), nil
}

// ErrPasswHash is returned for a text that is not a passwHash. The text is not
// in the error: a phrase given by mistake must not end up in a log.
var ErrPasswHash = errors.New("the passwHash must be exactly 64 lower-case hex digits")

// ErrNodeID is returned for a text that is not a node id.
var ErrNodeID = errors.New("the nodeId must be exactly 64 lower-case hex digits")

// PasswHash is the bearer secret of a node: lower-case hex SHA-256 of its
// normalized phrase. It prints as a placeholder; Reveal returns the 64 digits. The
// zero value is "none".
type PasswHash struct{ protocol.Secret }

// HashPhrase normalizes phrase and returns its PasswHash. It hashes any text; use
// ParsePhrase first on external input.
func HashPhrase(phrase string) PasswHash {
	sum := sha256.Sum256([]byte(protocol.NormalizePhrase(phrase)))
	return PasswHash{protocol.NewSecret(hex.EncodeToString(sum[:]))}
}

// ParsePasswHash returns the PasswHash of text, which must be exactly 64
// lower-case hex digits; else ErrPasswHash.
func ParsePasswHash(text string) (PasswHash, error) {
	if !protocol.ValidHex64(text) {
		return PasswHash{}, ErrPasswHash
	}
	return PasswHash{protocol.NewSecret(text)}, nil
}
