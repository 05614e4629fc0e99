package redis

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var lua embed.FS

var (
	acquireScript    = newScript("acquire")
	arriveScript     = newScript("prolong", "arrive")
	checkpointScript = newScript("wrote", "checkpoint")
	commitScript     = newScript("allowed", "local", "commit")
	dueScript        = newScript("local", "prolong", "due")
	foundScript      = newScript("allowed", "found")
	importScript     = newScript("import")
	missedScript     = newScript("missed")
	placesScript     = newScript("places")
	presentScript    = newScript("present")
	releaseScript    = newScript("release")
	snapshotScript   = newScript("snapshot")
	scanScript       = newScript("scan")
	seekScript       = newScript("seek")
	trimScript       = newScript("wrote", "trim")
)

// newScript joins the parts of a script, given by the names of their files, when it
// is first run, and computes its digest for Redis: most commands run no script.
func newScript(names ...string) func() *goredis.Script {
	return sync.OnceValue(func() *goredis.Script {
		var script strings.Builder
		for _, name := range names {
			part, err := lua.ReadFile("lua/" + name + ".lua")
			if err != nil {
				panic(fmt.Sprintf("a part of a script is not in the program: %v", err))
			}
			script.Write(part)
		}
		return goredis.NewScript(script.String())
	})
}
