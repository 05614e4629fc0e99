// Package port reserves TCP ports for tests whose servers get a port number, or
// stop and start again on the same port. A port that is only found and released can
// be taken by another process before the server listens.
package port
