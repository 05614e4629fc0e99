package creds

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tyler-smith/go-bip39/wordlists"
)

// PhraseWords is how many words a generated phrase has: 10 words of a list of
// 2,048 are 110 bits.
const PhraseWords = 10

// phraseListSize is the size of the BIP-39 English list. Being a power of two
// it lets 11 random bits pick a word without bias.
const phraseListSize = 2048

// ErrPhraseEmpty is returned for a phrase that holds nothing but white space.
var ErrPhraseEmpty = errors.New("the phrase is empty: it needs at least one word")

// ErrPhraseNotUTF8 is returned for a phrase that is not valid UTF-8, which two
// programs would not hash alike.
var ErrPhraseNotUTF8 = errors.New("the phrase is not valid UTF-8: save it as UTF-8 text and try again")

// GeneratePhrase returns PhraseWords words drawn uniformly and independently
// with the system's CSPRNG from the BIP-39 English word list, joined by single
// spaces. It panics if the system has no randomness (crypto/rand never fails
// on a working system).
func GeneratePhrase() Secret {
	phrase, err := phraseFrom(rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("creds: the system's random source failed: %v", err))
	}
	return NewSecret(phrase)
}

// phraseFrom draws a phrase from random, two bytes for each word.
func phraseFrom(random io.Reader) (string, error) {
	var raw [2 * PhraseWords]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("draw a phrase: %w", err)
	}
	words := make([]string, PhraseWords)
	for i := range words {
		words[i] = wordlists.English[binary.BigEndian.Uint16(raw[2*i:])%phraseListSize]
	}
	return strings.Join(words, " "), nil
}

// ParsePhrase takes a phrase as a person or a file gave it and returns it
// normalised. The error is ErrPhraseEmpty or ErrPhraseNotUTF8; it never holds
// the text.
func ParsePhrase(text string) (Secret, error) {
	if !utf8.ValidString(text) {
		return Secret{}, ErrPhraseNotUTF8
	}
	phrase := NormalisePhrase(text)
	if phrase == "" {
		return Secret{}, ErrPhraseEmpty
	}
	return NewSecret(phrase), nil
}

// NormalisePhrase turns every run of white space into one space and trims both
// ends. White space is the set of section 2 of the protocol, which is
// ECMAScript's and differs from unicode.IsSpace: U+FEFF is in it, U+0085 is not.
// Letters keep their case and their Unicode form; bytes that are not UTF-8 stay
// as they are.
func NormalisePhrase(phrase string) string {
	return strings.Join(strings.FieldsFunc(phrase, isSpace), " ")
}

// isSpace reports whether r is white space or a line terminator of ECMAScript
// (ECMA-262, sections 12.2 and 12.3), the set that the protocol lists.
func isSpace(r rune) bool {
	switch {
	case r >= 0x0009 && r <= 0x000D, r >= 0x2000 && r <= 0x200A:
		return true
	}
	switch r {
	case 0x0020, 0x00A0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}
