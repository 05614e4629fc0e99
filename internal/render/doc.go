// Package render turns results into what a terminal or a pipe shows: tables
// that fit the window, JSON, JSON lines and YAML of the same data, one line for
// each event of a world, failures with their hints, and a spinner. It decides
// nothing about a world and reads nothing; everything it depends on (width,
// color, the time) is passed in, so the same input gives the same bytes.
//
// Text that came from a host is untrusted: names and chat lines are made
// harmless by Clean before they reach a terminal.
package render
