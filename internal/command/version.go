package command

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Version is what "playctl version" prints.
type Version struct {
	Version  string `json:"version"`            // the version, or devel for a build that is no release
	Commit   string `json:"commit,omitempty"`   // the commit that it was built of
	Modified bool   `json:"modified,omitempty"` // whether files were changed after that commit
	Go       string `json:"go"`                 // the version of Go that built it
	Platform string `json:"platform"`           // the operating system and the architecture
}

// ThisVersion returns the version of the release build, else the one that Go recorded.
func (p *Program) ThisVersion() Version {
	result := Version{Version: p.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return result
	}
	result.Version = cmp.Or(result.Version, info.Main.Version)
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
