// Package playworld runs a whole world within a Go program: its engine, its
// store and its host, without a port. [PlayWorld.Handler] serves it to others,
// and [PlayWorld.Join] gives the program itself an account in it, over the same
// SDK that remote programs use.
//
//	world, err := playworld.New(ctx, playworld.Options{})
//	...
//	http.Handle("/", world.Handler())
//	account, err := world.Join(ctx)
package playworld
