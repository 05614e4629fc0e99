package worldtest

import "runtime"

// LiveHeap returns the number of reachable bytes.
func LiveHeap() int {
	runtime.GC()
	runtime.GC() // the second one frees the content of sync.Pool
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
