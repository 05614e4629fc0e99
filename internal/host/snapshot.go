package host

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/playctl/playctl/internal/world"
)

// sendSnapshot answers with the whole world, or 304 where the caller has this
// rev of this session already.
func sendSnapshot(c *call) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	tag := entityTag(v)
	c.w.Header()["Etag"] = []string{tag}
	if matchesTag(c.r.Header.Values("If-None-Match"), tag) {
		c.notModified()
		return nil
	}
	head, body := v.Snapshot()
	c.write(http.StatusOK, head, body)
	return nil
}

// planSnapshotReply is the same as an operation, whose payload is {}.
func planSnapshotReply(c *call) (action, error) {
	if _, err := c.payload(); err != nil {
		return nil, err
	}
	return sendSnapshotReply, nil
}

func sendSnapshotReply(c *call) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	head, body := v.SnapshotReply()
	c.write(http.StatusOK, head, body)
	return nil
}

// entityTag names a map. It is weak (RFC 9110, section 8.8.1): two snapshots of
// one rev differ in their seq when something was said in between.
func entityTag(v *world.View) string {
	return `W/"` + v.SID + "." + strconv.FormatUint(v.Rev, 10) + `"`
}

// matchesTag compares weakly, as RFC 9110, section 13.1.2, wants it.
func matchesTag(headers []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, header := range headers {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

func (c *call) notModified() {
	header := c.w.Header()
	header["Cache-Control"] = noStore
	header["X-Play-Rev"] = []string{strconv.FormatUint(c.rev, 10)}
	c.begin(http.StatusNotModified)
}
