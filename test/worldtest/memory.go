package worldtest

import "runtime"

// LiveHeap is how many bytes are reachable.
func LiveHeap() int {
	runtime.GC()
	runtime.GC() // what sync.Pool keeps goes with the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
