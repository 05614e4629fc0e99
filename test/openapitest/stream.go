package openapitest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// stream checks the complete frames of the part of a stream that was read.
func (d *document) stream(text []byte) error {
	for {
		frame, rest, whole := bytes.Cut(text, []byte("\n\n"))
		if !whole {
			return nil
		}
		text = rest
		var kind, data string
		for line := range strings.SplitSeq(string(frame), "\n") {
			name, value, _ := strings.Cut(line, ":")
			switch value = strings.TrimPrefix(value, " "); name {
			case "event":
				kind = value
			case "data":
				if data != "" {
					return errors.New("an event's data has more than one line")
				}
				data = value
			case "", "id", "retry":
			default:
				return fmt.Errorf("a frame has the field %q", name)
			}
		}
		if kind == "" && data == "" {
			continue
		}
		if err := d.event(kind, []byte(data)); err != nil {
			return fmt.Errorf("the event %s: %w", kind, err)
		}
	}
}

// event checks the data of one event.
func (d *document) event(kind string, data []byte) error {
	return d.validate(data, "paths", protocol.ServicePlay.Events(), "get", "responses", "200", "content",
		protocol.MediaTypeSSE, "x-events", kind)
}
