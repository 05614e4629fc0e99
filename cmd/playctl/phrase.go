package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

// phraseFlags say where the phrase of a new node comes from and where it goes.
type phraseFlags struct {
	from string
	to   string
	show bool
	keep bool
}

func (f *phraseFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.to, "phrase-file", "", "write the new phrase to this `file`, which must not exist")
	flags.StringVar(&f.from, "phrase-from", "", "use the phrase in this `file` instead of a new one; - is standard input")
	flags.BoolVar(&f.show, "show-phrase", false, "print the phrase with the result, also where others may read it")
	flags.BoolVar(&f.keep, "keep-phrase", false, "keep the phrase in the credentials file, which otherwise holds its hash only")
}

// newPhrase is a phrase on its way into a new node.
type newPhrase struct {
	flags   *phraseFlags
	phrase  creds.Secret
	hash    creds.PasswHash
	written string // the file that holds it
}

// phraseFor makes or reads the phrase of a new node. A phrase that nobody would
// ever see is refused before anything is made.
func (a *app) phraseFor(ctx context.Context, flags *phraseFlags) (*newPhrase, error) {
	if flags.from != "" {
		if flags.to != "" {
			return nil, usagef("--phrase-from names a phrase that you have, --phrase-file is for a new one: use one of them")
		}
		phrase, err := a.readPhrase(ctx, flags.from, "")
		if err != nil {
			return nil, err
		}
		return &newPhrase{flags: flags, phrase: phrase, hash: creds.HashPhrase(phrase.Reveal())}, nil
	}
	if flags.to == "" && !flags.show && !flags.keep && !a.phraseIsSeen() {
		return nil, hintf(usagef("there is no terminal, so nobody would ever see the new phrase"),
			"add --phrase-file FILE to save it, --keep-phrase to keep it with the credentials, or --show-phrase to print it")
	}
	phrase := creds.GeneratePhrase()
	p := &newPhrase{flags: flags, phrase: phrase, hash: creds.HashPhrase(phrase.Reveal())}
	if flags.to == "" {
		return p, nil
	}
	path := a.absolute(flags.to)
	err := creds.WriteSecretFile(path, []byte(phrase.Reveal()+"\n"), false)
	if errors.Is(err, fs.ErrExist) {
		return nil, hintf(fmt.Errorf("%s: there is a file already, and a phrase is never written over one", flags.to), "name another file")
	}
	if err != nil {
		return nil, fmt.Errorf("save the phrase: %w", err)
	}
	p.written = path
	return p, nil
}

// phraseIsSeen reports whether a person would see a phrase that is printed.
func (a *app) phraseIsSeen() bool { return isTerminal(a.Stderr) || isTerminal(a.Stdout) }

// refused takes the phrase file back when the host said no: the phrase is worth
// nothing then.
func (p *newPhrase) refused() error {
	if p.written == "" {
		return nil
	}
	if err := os.Remove(p.written); err != nil {
		return fmt.Errorf("remove the phrase file: %w", err)
	}
	return nil
}

// kept is the phrase if it goes into the credentials file.
func (p *newPhrase) kept() creds.Secret {
	if !p.flags.keep {
		return creds.Secret{}
	}
	return p.phrase
}

// shown is the phrase if it is part of the result.
func (p *newPhrase) shown() string {
	if !p.flags.show {
		return ""
	}
	return p.phrase.Reveal()
}

// tell shows a new phrase once, at the terminal.
func (a *app) tell(p *newPhrase) {
	switch {
	case p.flags.from != "" || p.flags.show:
		return
	case p.written != "":
		a.note("The phrase is in %s. Whoever has it is this node.", p.flags.to)
		return
	case !a.phraseIsSeen():
		return
	}
	out := a.Stderr
	if !isTerminal(out) {
		out = a.Stdout
	}
	look := a.look(out)
	_, _ = fmt.Fprintf(out, "\nWrite this phrase down. It is shown only now, and whoever has it is this node:\n\n    %s\n\n",
		look.Strong(render.Clean(p.phrase.Reveal())))
}
