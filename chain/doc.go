// Package chain implements the player chain: the Merkle tree over a world's rows
// with which a copy of the world is verified to equal the host's.
//
// A world is a list of leaves in a fixed order: the genesis text, the header
// (session and bounds), every occupant, every space. A leaf's payload is the row's
// canonical JSON (RFC 8785), so two programs with the same row have the same bytes,
// and one digest with one count stands for the whole map.
//
// The pieces, from the bottom up:
//
//   - [Canonicalize], [AppendOccupant], [AppendSpace]: canonical JSON of any
//     text, and directly from the row types;
//   - [Leaf]: a key, its payload and its digest, computed once;
//   - [Tree]: an immutable Merkle tree. An edit returns a new tree that shares
//     what did not change, so old revisions stay readable;
//   - [Diff] and [NotifyFor]: what a change looks like on the wire;
//   - [Proof]: that one leaf is in a tree of a known root and count;
//   - [Snapshot]: one state of the world as a client has it, merged node by
//     node;
//   - [Copy]: the copy that a subscriber keeps, with what is known of it;
//   - [ParseFanoutNotify], [ParseNodeRPCBody] and their neighbors: strict
//     readers of what a host sends, safe on hostile input.
//
// Nothing here does I/O, reads a clock or starts a goroutine. All values but a
// Copy are safe for concurrent use because none of them ever changes.
package chain
