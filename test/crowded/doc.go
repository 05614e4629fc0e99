// Package crowded opens more connections, streams and registrations to a real host
// than it has room for, and holds it to what newcomers get meanwhile.
package crowded
