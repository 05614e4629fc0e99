package protocol

import "encoding/json"

// List is a slice that is never `null` on the wire: nil is written as [].
type List[T any] []T

// MarshalJSON writes the list, [] when it is nil.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}
