package redis

import (
	"cmp"
	"crypto/tls"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// The bounds of a call. A host answers within a second even if the server does not,
// so one attempt with its connection stays below that.
const (
	dialTimeout  = 500 * time.Millisecond
	replyTimeout = 800 * time.Millisecond
	// patientDial replaces dialTimeout if replies may take longer, too.
	patientDial = 5 * time.Second
	// poolWait is how long a call waits for a free connection.
	poolWait = 500 * time.Millisecond
)

// DefaultTail is the number of newest entries that trimming keeps for hosts that
// follow, in addition to the retention.
const DefaultTail = 1_024

// Options say which world on which server to open, and how.
type Options struct {
	// Address is the server's address.
	Address Address
	// Username and Password are the host's credentials; they take precedence over
	// those of the address. SentinelUsername and SentinelPassword are for Sentinels.
	Username, Password                 string
	SentinelUsername, SentinelPassword string
	// TLS is used if the address requests TLS; nil means the system's roots.
	TLS *tls.Config
	// HostID names the world on the server; empty means "default".
	HostID string
	// RootKey is the root key that the world must belong to. A new one needs it; if it
	// is empty, an existing world is opened whatever its root key.
	RootKey string
	// ReadOnly opens a world for a caller that writes nothing: the user does not need
	// permission to write.
	ReadOnly bool
	// Retention says how much history trimming keeps; zero means
	// store.DefaultRetention, and a Tail of zero DefaultTail.
	Retention store.Retention
	// Timeout bounds the time of a reply; zero means 800 ms, with which a host answers
	// within a second. A command for which no client waits may allow more.
	Timeout time.Duration
	// Publish returns what is published within an entry's commit, in order; nil for
	// nothing. It is called by Commit alone, and for each attempt, so its result must
	// depend only on the entry.
	Publish func(*store.Entry) []store.Message
}

// dial returns the time limit of each step of a connection.
func (o Options) dial() time.Duration {
	if o.Timeout > replyTimeout {
		return patientDial
	}
	return dialTimeout
}

func (o Options) withDefaults() Options {
	o.Retention = cmp.Or(o.Retention, store.DefaultRetention())
	o.Retention.Tail = cmp.Or(o.Retention.Tail, DefaultTail)
	o.Timeout = cmp.Or(o.Timeout, replyTimeout)
	o.HostID = cmp.Or(o.HostID, "default")
	o.Username = cmp.Or(o.Username, o.Address.Username)
	o.Password = cmp.Or(o.Password, o.Address.Password)
	return o
}
