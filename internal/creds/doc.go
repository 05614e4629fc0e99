// Package creds holds everything that proves who a caller is: phrases and their
// hashes, node ids, root key files, API keys and tokens, and the credentials
// file of a user with its named contexts.
//
// The way from a phrase to a node id is short and one-way at each step:
//
//	phrase -> NormalizePhrase -> HashPhrase -> PasswHash -> DeriveNodeID -> nodeId
//
// A phrase is hashed once, where it was typed, and only the PasswHash crosses
// the wire. A host derives an id only when a node is created, through a Deriver
// that bounds the cost; from then on it compares StoredDigest values, which
// costs microseconds.
//
// Values that must stay secret have the types Secret and PasswHash. They print
// as "[redacted]" through fmt, log/slog and text/template, also from inside
// another struct, and refuse to be marshalled; Reveal is the one way to the
// text, so every place that lets a secret out can be found by its name.
//
// Nothing here reads the process environment, the home folder or the working
// folder: callers pass them in as an Environment.
package creds
