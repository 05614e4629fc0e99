// Package port keeps TCP ports for tests whose servers are given a port, or stop
// and start again on theirs. A port that is merely looked for and let go can be
// somebody else's by the time that the server listens.
package port
