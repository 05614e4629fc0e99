package redis

import (
	_ "embed"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"
)

//go:embed lua/acquire.lua
var acquireLua string

//go:embed lua/allowed.lua
var allowedLua string

//go:embed lua/arrive.lua
var arriveLua string

//go:embed lua/checkpoint.lua
var checkpointLua string

//go:embed lua/commit.lua
var commitLua string

//go:embed lua/due.lua
var dueLua string

//go:embed lua/found.lua
var foundLua string

//go:embed lua/import.lua
var importLua string

//go:embed lua/local.lua
var localLua string

//go:embed lua/missed.lua
var missedLua string

//go:embed lua/places.lua
var placesLua string

//go:embed lua/present.lua
var presentLua string

//go:embed lua/prolong.lua
var prolongLua string

//go:embed lua/release.lua
var releaseLua string

//go:embed lua/snapshot.lua
var snapshotLua string

//go:embed lua/scan.lua
var scanLua string

//go:embed lua/seek.lua
var seekLua string

//go:embed lua/trim.lua
var trimLua string

var (
	acquireScript    = newScript(acquireLua)
	arriveScript     = newScript(prolongLua, arriveLua)
	checkpointScript = newScript(checkpointLua)
	commitScript     = newScript(allowedLua, localLua, commitLua)
	dueScript        = newScript(localLua, prolongLua, dueLua)
	foundScript      = newScript(allowedLua, foundLua)
	importScript     = newScript(importLua)
	missedScript     = newScript(missedLua)
	placesScript     = newScript(placesLua)
	presentScript    = newScript(presentLua)
	releaseScript    = newScript(releaseLua)
	snapshotScript   = newScript(snapshotLua)
	scanScript       = newScript(scanLua)
	seekScript       = newScript(seekLua)
	trimScript       = newScript(trimLua)
)

// newScript joins the parts of a script when it is first run, with the digest that Redis
// knows it by: most commands run none.
func newScript(parts ...string) func() *goredis.Script {
	return sync.OnceValue(func() *goredis.Script { return goredis.NewScript(strings.Join(parts, "")) })
}
