package host

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// send answers 200 with a value as JSON.
func (c *call) send(value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a reply %T: %w", value, err)
	}
	c.write(http.StatusOK, b)
	return nil
}

// sendReply answers with the outcome of a command.
func (c *call) sendReply(reply *world.Reply) error {
	c.setRev(reply.Rev)
	b, err := reply.JSON()
	if err != nil {
		return fmt.Errorf("encode the reply of a command: %w", err)
	}
	if reply.Sealed {
		if b, err = c.idempotency.open(b); err != nil {
			return err
		}
	}
	c.write(http.StatusOK, b)
	return nil
}

// write sends a whole JSON reply whose parts are written one after the other.
// A failure to write is the client's going away: nobody is left to be told.
func (c *call) write(status int, parts ...[]byte) {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	header := c.w.Header()
	header["Content-Type"] = jsonType
	header["Cache-Control"] = noStore
	header["Content-Length"] = []string{strconv.Itoa(length)}
	if c.hasRev {
		header["X-Play-Rev"] = []string{strconv.FormatUint(c.rev, 10)}
	}
	c.begin(status)
	for _, p := range parts {
		n, err := c.w.Write(p)
		c.written += n
		if err != nil {
			return
		}
	}
}

// setRev says which rev the reply is of.
func (c *call) setRev(rev uint64) { c.rev, c.hasRev = rev, true }

// begin sends the headers.
func (c *call) begin(status int) {
	c.status = status
	c.w.WriteHeader(status)
}

// Header values that every reply shares. They are never changed.
var (
	jsonType = []string{protocol.MediaTypeJSON}
	noStore  = []string{"no-store"}
)
