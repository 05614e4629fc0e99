// Package rules holds the repository's own rules as tests: which package may import
// which, how large files are, and which documents must agree with the code. It has
// no code to import. Rules that a linter checks are in .golangci.yml.
//
// Each rule is a function from the tree of files to a list of violations, and is
// tested on an example that breaks it.
package rules
