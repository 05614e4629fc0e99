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

// PhraseFlags select the source of a new node's phrase and where it is written.
type PhraseFlags struct {
	from string
	To   string
	Show bool
	keep bool
	// unseen is set if the phrase is kept although no flag requests that.
	unseen bool
}

// NodePhrase is the phrase of a node that is being created.
type NodePhrase struct {
	Flags  *PhraseFlags
	Secret protocol.Secret
	Hash   creds.PasswHash
	File   string // the file that holds it
	// Exported is set if an export of the context has the node's credentials.
	Exported bool
}

// ReservePhrase ensures, before a node is created, that the phrase which the host will
// generate is either shown to a person or saved in a file. It creates the file now,
// empty, so that no other program can use its name.
func (a *App) ReservePhrase(flags *PhraseFlags) (*NodePhrase, error) {
	p := &NodePhrase{Flags: flags}
	if flags.To != "" {
		err := p.makeFile(a, creds.ReserveSecretFile, "create the file for the phrase")
		return p, err
	}
	if !flags.Show && !a.PhraseIsSeen() {
		return nil, Hintf(Usagef("there is no terminal, so the new phrase would be lost"),
			"add --phrase-file FILE to save it, or --show-phrase to print it")
	}
	return p, nil
}

// makeFile creates the file of a phrase, which must not exist; task describes the
// operation in an error. write creates it.
func (p *NodePhrase) makeFile(a *App, write func(path string) error, task string) error {
	path := a.Absolute(p.Flags.To)
	err := write(path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return Hintf(fmt.Errorf("%w, and a phrase never overwrites a file", &existsError{p.Flags.To}), "use another file")
	case errors.Is(err, fs.ErrNotExist):
		return Hintf(fmt.Errorf("%s: its folder does not exist", p.Flags.To), "create the folder first")
	case err != nil:
		return fmt.Errorf("%s: %w", task, err)
	}
	p.File = path
	return nil
}

// SaveNew writes the phrase to a new file, the one of the flags.
func (p *NodePhrase) SaveNew(a *App) error {
	write := func(path string) error { return creds.WriteSecretFile(path, []byte(p.Secret.Reveal()+"\n"), false) }
	return p.makeFile(a, write, "save the phrase")
}

// Save writes the phrase to its reserved file. If that fails, the phrase is shown at the terminal
// instead, if there is one.
func (p *NodePhrase) Save() error {
	if p.File == "" {
		return nil
	}
	if err := creds.WriteSecretFile(p.File, []byte(p.Secret.Reveal()+"\n"), true); err != nil {
		p.File = ""
		return Unsaved(err)
	}
	return nil
}

// Unsaved returns the error of a new space whose phrase cannot be saved.
func Unsaved(err error) error {
	return fmt.Errorf("the space was created, but the phrase of its node is not saved: %w", err)
}

// Register adds the flags to those of a command.
func (f *PhraseFlags) Register(flags *pflag.FlagSet) {
	f.RegisterNew(flags)
	flags.StringVar(&f.from, "phrase-from", "", "use the phrase in this `file` instead of a new one; - is standard input")
}

// RegisterNew adds the flags for a new phrase.
func (f *PhraseFlags) RegisterNew(flags *pflag.FlagSet) {
	flags.StringVar(&f.To, "phrase-file", "", "write the new phrase to this new `file`")
	flags.BoolVar(&f.Show, "show-phrase", false, "print the phrase with the result, even if others may read it")
	flags.BoolVar(&f.keep, "keep-phrase", false, "keep the phrase in the credentials file, which otherwise holds only its hash")
}

// PhraseFor generates or reads the phrase of a new node. It refuses a phrase that would
// be neither shown nor saved, before the node is created.
func (a *App) PhraseFor(ctx context.Context, flags *PhraseFlags) (*NodePhrase, error) {
	if flags.from != "" {
		if flags.To != "" {
			return nil, Usagef("--phrase-from reads an existing phrase, and --phrase-file is for a new one: use one of them")
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
	err := p.SaveNew(a)
	return p, err
}

// Saves reports whether the phrase goes into the credentials file.
func (f *PhraseFlags) Saves() bool { return f.keep }

// KeepUnseen keeps the phrase in the credentials file if neither a flag nor a terminal
// would show it.
func (f *PhraseFlags) KeepUnseen(a *App) {
	f.unseen = !f.keep && f.To == "" && !f.Show && !a.PhraseIsSeen()
	f.keep = f.keep || f.unseen
}

// SavePhrase returns the flags for a new node that a command creates by itself: the
// phrase is shown at a terminal; without one it is kept with the credentials.
func (a *App) SavePhrase() *PhraseFlags {
	flags := &PhraseFlags{}
	flags.KeepUnseen(a)
	return flags
}

// PhraseIsSeen reports whether a printed phrase appears on a terminal.
func (a *App) PhraseIsSeen() bool { return IsTerminal(a.Stderr) || IsTerminal(a.Stdout) }

// Discard removes the phrase file after the host refused the node: the phrase is useless
// then.
func (p *NodePhrase) Discard() error {
	if p.File == "" {
		return nil
	}
	if err := os.Remove(p.File); err != nil {
		return fmt.Errorf("remove the phrase file: %w", err)
	}
	return nil
}

// Kept returns the phrase if it is kept in the credentials file.
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

// lostPhrase is a note about the phrase.
func (p *NodePhrase) lostPhrase() string {
	if p.Exported {
		return "A lost phrase cannot be recovered. \"playctl context export --encrypt --file FILE\" saves what this machine knows."
	}
	return "A lost phrase cannot be recovered."
}

// ShowPhrase shows a new phrase once, at the terminal.
func (a *App) ShowPhrase(p *NodePhrase) {
	switch {
	case p.Flags.from != "" || p.Flags.Show:
		return
	case p.File != "":
		a.Note("The phrase is in %s. Anyone with this phrase controls this node. %s", p.Flags.To, p.lostPhrase())
		return
	case p.Flags.unseen:
		a.Note("The phrase is saved with the credentials, because there is no terminal to show it on.")
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
		look.Strong(render.Clean(p.Secret.Reveal())), p.lostPhrase()), 0, look.Width))
}
