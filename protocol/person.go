package protocol

import "encoding/json"

// PersonRequest puts the caller's person on the map, changes their row, or renews
// its lease if nothing changes.
type PersonRequest struct {
	// Name is the person's name, without controls, direction marks and characters that cannot
	// be seen.
	Name string `json:"name" rule:"form=ownName,chars=MaxNameChars"`
	// X is the column of the wanted cell. If another occupant has the cell, the person
	// gets a free one near it.
	X int `json:"x" rule:"range=0..MaxSafeInteger"`
	// Y is the row of the wanted cell.
	Y int `json:"y" rule:"range=0..MaxSafeInteger"`
	// LeaseTTLSeconds is the term of the lease.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero" rule:"clamp=MinLeaseTTLSeconds..MaxLeaseTTLSeconds,default=DefaultLeaseTTLSeconds"`
}

// PersonReply is the reply to a PersonRequest.
type PersonReply struct {
	// Person is the row that is on the map.
	Person json.RawMessage `json:"person" rule:"ref=Human"`
	// LeaseTTLSeconds is the granted term.
	LeaseTTLSeconds int `json:"leaseTtlSeconds" rule:"range=MinLeaseTTLSeconds..MaxLeaseTTLSeconds"`
}

// PersonAddedData are the own fields of EventPersonAdded: the whole row.
type PersonAddedData struct {
	// Person is the whole row.
	Person json.RawMessage `json:"person" rule:"ref=Human"`
}

// PersonRemovedData are the own fields of EventPersonRemoved.
type PersonRemovedData struct {
	PersonID string `json:"personId" rule:"form=id"`
	Reason   string `json:"reason" rule:"enum=PersonRemoval"`
}
