package agent

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
)

//go:embed folders
var folders embed.FS

// language is a programming language for an agent's folder.
type language struct {
	Language, Title string
	// Source is the source file of the program, Program the command that runs it.
	Source, Program string
	// Mode is the flag of "playctl agent run" for the program.
	Mode string
	// files are the files of this language, by their names in the binary.
	files map[string]string
}

var languages = []language{
	{"bash", "Bash", "agent.sh", "./agent.sh", "--text", map[string]string{"agent.sh": "agent.sh"}},
	{"python", "Python", "agent.py", "python3 agent.py", "--lines", map[string]string{"agent.py": "agent.py"}},
	{"node", "Node", "agent.mjs", "node agent.mjs", "--lines", map[string]string{"agent.mjs": "agent.mjs"}},
	// The suffixes keep these files out of this module.
	{"go", "Go", "agent.go", "go run .", "--lines", map[string]string{"agent.go.txt": "agent.go", "go.mod.txt": "go.mod"}},
}

// sharedFiles are in every folder, by their names in the binary.
var sharedFiles = map[string]string{
	"README.md": "README.md", "tools.json": "tools.json", "run.sh": "run.sh", "test.sh": "test.sh",
	"gitignore": ".gitignore", "test.yml": ".github/workflows/test.yml",
}

// initResult is what "playctl init" prints.
type initResult struct {
	Folder   string   `json:"folder"`   // the folder that was written
	Language string   `json:"language"` // bash, python, node or go
	Agent    string   `json:"agent"`    // the name of the agent in it
	Files    []string `json:"files"`    // the files, relative to the folder
	Next     []string `json:"next"`     // the commands to type next
}

func languageNames() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.Language)
	}
	return names
}

// newInitCommand returns the command that writes the folder of a new agent.
func newInitCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "init <language> [folder]",
		GroupID: command.GroupWorld,
		Short:   "Create the folder of a new agent that is ready to run",
		Long: `Create the folder of a new agent in bash, python, node or go, without packages to install: the program
that answers, the description of a tool, run.sh, test.sh with a job for GitHub, a README and a
.gitignore for secrets. The folder, by default my-agent, names the agent. An existing file
is an error, and nothing is written.`,
		Example: command.Example("playctl init python", "playctl init bash weather"),
		Args:    command.Takes("language", "folder?"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return languageNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			i := slices.IndexFunc(languages, func(l language) bool { return l.Language == args[0] })
			if i < 0 {
				return command.Usagef("unknown language %q: use %s", args[0], strings.Join(languageNames(), ", "))
			}
			folder := "my-agent"
			if len(args) > 1 {
				folder = args[1]
			}
			return writeFolder(a, &languages[i], folder)
		},
	}
}

// writeFolder writes the files of a language, or none if one of them already exists.
func writeFolder(a *command.App, l *language, folder string) error {
	if folder == "" {
		return command.Hintf(command.Usagef("the folder's name is empty"), "give a name, or omit it for my-agent")
	}
	path := a.Absolute(folder)
	name := filepath.Base(path)
	if err := creds.CheckLabel(name); err != nil || command.ShellWord(name) != name {
		return command.Hintf(command.Usagef("%q cannot be the name of an agent", creds.Shorten(name)), "use only letters, digits, - and _ in the folder's name")
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return command.Hintf(fmt.Errorf("%s is a file, not a folder, so nothing was written", folder), "use another folder")
	}
	texts, err := l.texts(name)
	if err != nil {
		return err
	}
	result := initResult{Folder: path, Language: l.Language, Agent: name}
	for file := range texts {
		result.Files = append(result.Files, file)
		switch _, err := os.Lstat(filepath.Join(path, file)); {
		case err == nil:
			return command.Hintf(fmt.Errorf("%s already exists, so nothing was written", filepath.Join(folder, file)), "use another folder")
		case !errors.Is(err, fs.ErrNotExist):
			return command.Hintf(fmt.Errorf("cannot read the folder, so nothing was written: %w", err), "use another folder")
		}
	}
	slices.Sort(result.Files)
	for _, file := range result.Files {
		to := filepath.Join(path, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // a folder of sources, which everybody may read
			return fmt.Errorf("create the folder: %w", err)
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(file, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(to, texts[file], mode); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	result.Next = []string{
		"cd " + command.ShellWord(folder), "./run.sh", "playctl intercom send " + name + " \"Where is the shop?\"",
	}
	return a.Printer.Print(result.document(a.Printer.Look))
}

// texts returns the files of the folder, by their names there.
func (l *language) texts(agent string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for from, files := range map[string]map[string]string{"shared": sharedFiles, l.Language: l.files} {
		for file, to := range files {
			text, err := folders.ReadFile("folders/" + from + "/" + file)
			if err != nil {
				return nil, fmt.Errorf("read the templates in this program: %w", err)
			}
			if from == "shared" {
				filled, err := template.New(file).Parse(string(text))
				if err != nil {
					return nil, fmt.Errorf("read %s: %w", file, err)
				}
				var out bytes.Buffer
				err = filled.Execute(&out, struct {
					*language
					Agent string
				}{l, agent})
				if err != nil {
					return nil, fmt.Errorf("fill %s: %w", file, err)
				}
				text = out.Bytes()
			}
			texts[to] = text
		}
	}
	return texts, nil
}

func (r *initResult) document(look render.Look) render.Document {
	views := []render.View{render.Line("The agent " + render.Clean(r.Agent) + " is in " + render.Clean(r.Folder) + ": " + strings.Join(r.Files, ", ") + ".")}
	views = append(views, render.Line(""), render.Line("Next, with a host on this machine (\"playctl serve --detach\") or in PLAYCTL_SERVER:"), render.Line(""))
	for _, command := range r.Next {
		views = append(views, render.Line("  "+look.Accent(command)))
	}
	return render.Document{Data: r, Views: append(views, render.Line(""))}
}
