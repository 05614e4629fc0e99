// Package protocol holds the wire contract between a world host and its
// clients: rows, snapshots, events, requests, replies, error codes, limits and
// the strict JSON reading that a host applies to bodies. It does no I/O.
package protocol

//go:generate go run ../internal/gen/contract
