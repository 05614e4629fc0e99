package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
)

// versionResult is what "playctl version" prints.
type versionResult struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show which playctl this is",
		Example: example("playctl version", "playctl version --output json"),
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			info := thisVersion()
			commit := info.Commit
			if info.Modified {
				commit += " (modified)"
			}
			return a.printer.Print(render.Document{Data: info, Views: []render.View{
				render.Line("playctl " + info.Version),
				render.Fields{{Name: "commit", Value: commit}, {Name: "built with", Value: info.Go}, {Name: "platform", Value: info.Platform}},
			}})
		},
	}
}

// thisVersion is what the release build stamped, else what Go recorded.
func thisVersion() versionResult {
	result := versionResult{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return result
	}
	if result.Version == "" {
		result.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			result.Commit = setting.Value
		case "vcs.modified":
			result.Modified = setting.Value == "true"
		}
	}
	return result
}
