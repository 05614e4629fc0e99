package protocol

import (
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
)

// Decode reads one JSON text that another side wrote, such as a reply or an
// event's data, into v. Unlike encoding/json it takes names only in their exact
// case and refuses duplicate names and invalid UTF-8. Unknown fields are
// ignored.
func Decode(data []byte, v any) error {
	if err := jsonv2.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}
