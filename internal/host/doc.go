// Package host serves a world over HTTP: the routes of the wire protocol, who
// may call them, the resuming event stream, limits, metrics and an orderly
// shutdown. Everything that a route decides about the world itself is the
// engine's (package world); everything about the request is decided here, in
// the order that the protocol fixes.
//
// A route is a line of a table (routes.go, operations.go) that says what must
// hold before its plan is carried out. The checks themselves are steps
// (step.go) that read the line; no handler repeats one.
package host
