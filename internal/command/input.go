package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// MaxSecret limits the size of a phrase or a token that is read.
const MaxSecret = 64 << 10

// OpenInput opens a file that a person named, or for "-" standard input, which is not
// closed and whose reads end with ErrInterrupted when the run is interrupted.
func (a *App) OpenInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(&standardInput{a.Stdin, a.interrupted}), nil
	}
	file, err := os.Open(a.Absolute(name))
	if err != nil {
		if cause, ok := errors.AsType[*fs.PathError](err); ok {
			err = cause.Err
		}
		return nil, fmt.Errorf("%s: cannot read it: %w", name, err)
	}
	return file, nil
}

// standardInput is standard input until the run is interrupted.
type standardInput struct {
	source      io.Reader
	interrupted <-chan struct{}
}

// Read implements io.Reader. No system can end a read of every kind of input, so each
// read has its own goroutine. Read waits for it until the run is interrupted; then the
// goroutine is left to the end of the process.
func (s *standardInput) Read(into []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	// After an interrupt the goroutine must not write into the caller's memory.
	buffer, ended := make([]byte, len(into)), make(chan result, 1)
	go func() {
		n, err := s.source.Read(buffer)
		ended <- result{n, err}
	}()
	select {
	case r := <-ended:
		return copy(into, buffer[:r.n]), r.err
	case <-s.interrupted:
		return 0, ErrInterrupted
	}
}

// ReadInput reads the input of OpenInput, at most limit bytes.
func (a *App) ReadInput(name string, limit int64) ([]byte, error) {
	source, err := a.OpenInput(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	text, err := io.ReadAll(io.LimitReader(source, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read it: %w", InputName(name), err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes", InputName(name), limit)
	}
	return text, nil
}

// ReadText is ReadInput for text: it removes a byte order mark, which editors on Windows
// write.
func (a *App) ReadText(name string, limit int64) ([]byte, error) {
	text, err := a.ReadInput(name, limit)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// ReadPhrase reads an existing phrase: from a file or standard input if one is named,
// else from a prompt.
func (a *App) ReadPhrase(ctx context.Context, file, question string) (protocol.Secret, error) {
	text, err := a.ReadHidden(ctx, file, question, "phrase", "phrase-from")
	if err != nil {
		return protocol.Secret{}, err
	}
	phrase, err := creds.ParsePhrase(text)
	if err != nil {
		return protocol.Secret{}, fmt.Errorf("%s: %w", cmp.Or(InputName(file), "the phrase"), err)
	}
	return phrase, nil
}

// ReadHidden reads a secret: from a file or standard input if one is named, else from a
// prompt. what and flag name the secret and the flag for its file in an error.
func (a *App) ReadHidden(ctx context.Context, file, question, what, flag string) (string, error) {
	if file != "" {
		text, err := a.ReadText(file, MaxSecret)
		return string(text), err
	}
	text, err := a.Ask(ctx, question, true)
	if errors.Is(err, ErrNoTerminal) {
		err = Hintf(Usagef("there is no terminal for entering the %s", what), "pass its file with --%s; - is standard input", flag)
	}
	return text, err
}

// ReadToken reads a token from a file: its first line, without white space
// around it.
func (a *App) ReadToken(file string) (protocol.Secret, error) {
	if file == "" {
		return protocol.Secret{}, nil
	}
	text, err := a.ReadText(file, MaxSecret)
	if err == nil && file != "-" {
		err = a.CheckSecretFile(file)
	}
	if err != nil {
		return protocol.Secret{}, BadInput(err)
	}
	// A token is normalized as a phrase is; a text of two words is not a token.
	token := protocol.NormalizePhrase(string(text))
	switch {
	case token == "":
		return protocol.Secret{}, BadInput(fmt.Errorf("%s: the file is empty, but must have a token", InputName(file)))
	case !visible(token):
		return protocol.Secret{}, BadInput(fmt.Errorf("%s: a token is one word of visible ASCII characters", InputName(file)))
	}
	return protocol.NewSecret(token), nil
}

// EnvironmentSecret returns a key or a token from the environment, zero if it is not set.
func (a *App) EnvironmentSecret(name string) (protocol.Secret, error) {
	text := protocol.NormalizePhrase(a.Env(name))
	if !visible(text) {
		return protocol.Secret{}, BadSetting(name, errors.New("it is not one word of visible ASCII characters"))
	}
	if text == "" {
		return protocol.Secret{}, nil
	}
	return protocol.NewSecret(text), nil
}

// blotted redacts arguments that look like a secret: a phrase, an API key or a token.
// Errors repeat arguments, and logs of jobs keep errors.
func (p *Program) blotted(text string) string {
	for _, argument := range p.Args {
		if looksSecret(argument) {
			text = strings.ReplaceAll(text, argument, protocol.Redacted)
		}
	}
	return text
}

// looksSecret reports whether a text has the form of playctl's secrets: words of a
// phrase, or a key with its prefix.
func looksSecret(text string) bool {
	const phraseWords, shortestKey = 10, 20
	isKey := strings.HasPrefix(text, "pk_") || strings.HasPrefix(text, "pt_") || strings.HasPrefix(text, "pi_")
	isPhrase := len(strings.Fields(text)) >= phraseWords && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz ") == ""
	return isKey && len(text) >= shortestKey || isPhrase
}

// visible reports whether an HTTP header can contain a text unchanged.
func visible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// InputName returns the name of a file in messages; "-" is standard input.
func InputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}
