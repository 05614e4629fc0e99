// Package crowded opens more connections, streams and registrations to a real host
// than it has room for, and checks that new clients are still served.
package crowded
