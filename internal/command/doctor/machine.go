package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// terminal checks the terminal.
func (p *examination) terminal() {
	const check = "terminal"
	locale := cmp.Or(p.Env("LC_ALL"), p.Env("LC_CTYPE"), p.Env("LANG"))
	utf8 := runtime.GOOS == "windows" || strings.Contains(strings.ToLower(strings.ReplaceAll(locale, "-", "")), "utf8")
	switch term := p.Env("TERM"); {
	case !command.IsTerminal(p.Stdout):
		p.add(check, stateGood, "", "standard output is not a terminal: results have no color, and \"playctl tail\" prints JSON lines")
	case term == "dumb" || term == "" && runtime.GOOS != "windows":
		p.add(check, stateDoubt, "export TERM=xterm-256color", "TERM is %q, so there are no colors and no maps", term)
	case !utf8:
		p.add(check, stateDoubt, "export LANG=C.UTF-8", "the locale %q is not of UTF-8, so names and maps may come out wrong", locale)
	case p.Printer.Look.Width > 0 && p.Printer.Look.Width < narrow:
		p.add(check, stateDoubt, "make the window wider", "the window has %d columns: tables need %d", p.Printer.Look.Width, narrow)
	default:
		p.add(check, stateGood, "", "%s, %d columns", term, p.Printer.Look.Width)
	}
}

// narrow is the width for which tables are designed.
const narrow = 80

// ownerOnly reports whether only its owner can access a file.
func ownerOnly(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

// files checks who can read the files with secrets.
func (p *examination) files() {
	const check = "files"
	token := p.Absolute(p.Env("PLAYCTL_ADMIN_TOKEN_FILE"))
	paths := []string{token}
	store, err := p.CredentialsStore()
	if err != nil {
		p.add(check, stateUnknown, "", "%s", err)
		return
	}
	paths = append(paths, store.Path())
	if folder := p.StateFolder(); folder != "" {
		for _, name := range []string{"world.playstore", "host.log", "aql_history"} {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	good := 0
	for _, path := range paths {
		switch info, err := os.Stat(path); {
		case path == "" || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			p.wrong(check, fmt.Errorf("it cannot be read: %w", err), "")
		case ownerOnly(info):
			good++
		case path != token || command.CheckReaders(path) != nil:
			p.wrong(check, fmt.Errorf("others on this machine can reach %s: its mode is %04o", path, info.Mode().Perm()), "chmod 600 "+command.ShellWord(path))
		}
	}
	if found, err := p.Surroundings().FindRootFile(""); err != nil && !errors.Is(err, creds.ErrNoRootFile) {
		p.wrong(check, err, "")
	} else if err == nil {
		p.add(check, stateGood, "", "the root key file is %s", found.Path)
	}
	if good > 0 {
		p.add(check, stateGood, "", "%s readable by you only", command.Plural(good, "file with secrets is", "files with secrets are"))
	}
}
