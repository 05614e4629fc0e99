package host

import (
	"os"
	"runtime"
	"sync"
)

// processors is how many processors the host has. The first call lets one goroutine
// more run at a time: one that waits for the disk counts as running until the
// runtime notices, up to 10 ms later, and on a small machine nothing else would run
// for so long.
var processors = sync.OnceValue(func() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n + 1)
	}
	return n
})
