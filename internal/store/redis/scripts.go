package redis

import (
	_ "embed"

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
	acquireScript    = goredis.NewScript(acquireLua)
	arriveScript     = goredis.NewScript(prolongLua + arriveLua)
	checkpointScript = goredis.NewScript(checkpointLua)
	commitScript     = goredis.NewScript(allowedLua + localLua + commitLua)
	dueScript        = goredis.NewScript(localLua + prolongLua + dueLua)
	foundScript      = goredis.NewScript(allowedLua + foundLua)
	importScript     = goredis.NewScript(importLua)
	missedScript     = goredis.NewScript(missedLua)
	placesScript     = goredis.NewScript(placesLua)
	presentScript    = goredis.NewScript(presentLua)
	releaseScript    = goredis.NewScript(releaseLua)
	snapshotScript   = goredis.NewScript(snapshotLua)
	scanScript       = goredis.NewScript(scanLua)
	seekScript       = goredis.NewScript(seekLua)
	trimScript       = goredis.NewScript(trimLua)
)
