// Package rules holds the repository's own rules as tests: which package may
// import which, how files are named and sized, what tests must not do, and
// which documents must agree with the code. It has no code to import. Rules
// that a linter knows are in .golangci.yml.
//
// Each rule is a function from one file, or from the whole tree, to the
// sentences that say what breaks it. Each is tried on an example that breaks
// it before it is trusted with the repository.
package rules
