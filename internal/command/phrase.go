package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// PhraseFlags say where the phrase of a new node comes from and where it goes.
type PhraseFlags struct {
	from string
	To   string
	Show bool
	keep bool
	// unseen says that the phrase is kept although nobody asked for that.
	unseen bool
}

// NodePhrase is a phrase on its way into a new node.
type NodePhrase struct {
	Flags  *PhraseFlags
	Secret protocol.Secret
	Hash   creds.PasswHash
	File   string // the file that holds it
}

// ReservePhrase makes sure, before anything is made, that the phrase which the
// host will make is seen by somebody or kept in a file. The file is made empty
// now, so that no other can take its name.
func (a *App) ReservePhrase(flags *PhraseFlags) (*NodePhrase, error) {
	p := &NodePhrase{Flags: flags}
	if flags.To != "" {
		err := p.makeFile(a, nil, "make the file for the phrase")
		return p, err
	}
	if !flags.Show && !a.PhraseIsSeen() {
		return nil, Hintf(Usagef("there is no terminal, so the new phrase would be lost"),
			"add --phrase-file FILE to save it, or --show-phrase to print it")
	}
	return p, nil
}

// makeFile makes the file of a phrase, which must not exist; task is what fails otherwise.
func (p *NodePhrase) makeFile(a *App, text []byte, task string) error {
	path := a.Absolute(p.Flags.To)
	err := creds.WriteSecretFile(path, text, false)
	if errors.Is(err, fs.ErrExist) {
		return Hintf(fmt.Errorf("%s: there is a file already, and a phrase is never written over one", p.Flags.To), "name another file")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", task, err)
	}
	p.File = path
	return nil
}

// Save writes the phrase to the file that was made for it. If that fails the
// phrase is shown at the terminal instead, if there is one.
func (p *NodePhrase) Save() error {
	if p.File == "" {
		return nil
	}
	if err := creds.WriteSecretFile(p.File, []byte(p.Secret.Reveal()+"\n"), true); err != nil {
		p.File = ""
		return fmt.Errorf("the space was made, but its phrase cannot be saved: %w", err)
	}
	return nil
}

// Register adds the flags to those of a command.
func (f *PhraseFlags) Register(flags *pflag.FlagSet) {
	f.RegisterNew(flags)
	flags.StringVar(&f.from, "phrase-from", "", "use the phrase in this `file` instead of a new one; - is standard input")
}

// RegisterNew adds those for a phrase that is new.
func (f *PhraseFlags) RegisterNew(flags *pflag.FlagSet) {
	flags.StringVar(&f.To, "phrase-file", "", "write the new phrase to this `file`, which must not exist")
	flags.BoolVar(&f.Show, "show-phrase", false, "print the phrase with the result, even if others may read it")
	flags.BoolVar(&f.keep, "keep-phrase", false, "keep the phrase in the credentials file, which otherwise holds its hash only")
}

// PhraseFor makes or reads the phrase of a new node. A phrase that nobody would
// ever see is refused before anything is made.
func (a *App) PhraseFor(ctx context.Context, flags *PhraseFlags) (*NodePhrase, error) {
	if flags.from != "" {
		if flags.To != "" {
			return nil, Usagef("--phrase-from names a phrase that you have, --phrase-file is for a new one: use one of them")
		}
		phrase, err := a.ReadPhrase(ctx, flags.from, "")
		if err != nil {
			return nil, err
		}
		return &NodePhrase{Flags: flags, Secret: phrase, Hash: creds.HashPhrase(phrase.Reveal())}, nil
	}
	if flags.To == "" && !flags.Show && !flags.keep && !a.PhraseIsSeen() {
		return nil, Hintf(Usagef("there is no terminal, so the new phrase would be lost"),
			"add --phrase-file FILE to save it, --keep-phrase to keep it with the credentials, or --show-phrase to print it")
	}
	phrase := creds.GeneratePhrase()
	p := &NodePhrase{Flags: flags, Secret: phrase, Hash: creds.HashPhrase(phrase.Reveal())}
	if flags.To == "" {
		return p, nil
	}
	err := p.makeFile(a, []byte(phrase.Reveal()+"\n"), "save the phrase")
	return p, err
}

// Keeps reports whether the phrase goes into the credentials file.
func (f *PhraseFlags) Keeps() bool { return f.keep }

// KeepUnseen keeps the phrase in the credentials file where no flag and no terminal would
// show it.
func (f *PhraseFlags) KeepUnseen(a *App) {
	f.unseen = !f.keep && f.To == "" && !f.Show && !a.PhraseIsSeen()
	f.keep = f.keep || f.unseen
}

// KeptPhrase is for a new node that a command makes on its own: the phrase is shown at
// a terminal, and kept with the credentials where there is none.
func (a *App) KeptPhrase() *PhraseFlags {
	flags := &PhraseFlags{}
	flags.KeepUnseen(a)
	return flags
}

// PhraseIsSeen reports whether a person would see a phrase that is printed.
func (a *App) PhraseIsSeen() bool { return IsTerminal(a.Stderr) || IsTerminal(a.Stdout) }

// Discard takes the phrase file back when the host said no: the phrase is worth
// nothing then.
func (p *NodePhrase) Discard() error {
	if p.File == "" {
		return nil
	}
	if err := os.Remove(p.File); err != nil {
		return fmt.Errorf("remove the phrase file: %w", err)
	}
	return nil
}

// Kept returns the phrase if it goes into the credentials file.
func (p *NodePhrase) Kept() protocol.Secret {
	if !p.Flags.keep {
		return protocol.Secret{}
	}
	return p.Secret
}

// Shown returns the phrase if it is part of the result.
func (p *NodePhrase) Shown() string {
	if !p.Flags.Show {
		return ""
	}
	return p.Secret.Reveal()
}

// lostPhrase is what a person should know of a phrase.
const lostPhrase = "A lost phrase cannot be recovered. \"playctl context export --encrypt --file FILE\" saves what this machine knows."

// ShowPhrase shows a new phrase once, at the terminal.
func (a *App) ShowPhrase(p *NodePhrase) {
	switch {
	case p.Flags.from != "" || p.Flags.Show:
		return
	case p.File != "":
		a.Note("The phrase is in %s. Anyone with this phrase controls this node. %s", p.Flags.To, lostPhrase)
		return
	case p.Flags.unseen:
		a.Note("The phrase is kept with the credentials, for there is no terminal to show it at.")
		return
	case !a.PhraseIsSeen():
		return
	}
	out := a.Stderr
	if !IsTerminal(out) {
		out = a.Stdout
	}
	look := a.Look(out)
	_, _ = io.WriteString(out, render.Wrap(fmt.Sprintf("\nWrite this phrase down. It is shown only now. Anyone with this phrase controls this node:\n\n    %s\n\n%s\n\n",
		look.Strong(render.Clean(p.Secret.Reveal())), lostPhrase), 0, look.Width))
}
