// Package faults lets system calls of a real host on the files of its store, or on its
// listener, fail in turn, and checks that no acknowledged write is lost, none is applied
// twice, and the store opens afterwards.
package faults
