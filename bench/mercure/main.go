// Command mercure is a hub of server-sent events, github.com/dunglas/mercure, for the
// benchmark that measures it beside playctl. It is a module of its own, because the hub's
// license (AGPL-3.0) is not that of playctl, which links none of it.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/dunglas/mercure"
	"go.uber.org/zap"
)

// numbered numbers the updates as their ids, in the order in which the hub sends
// them, so that a subscriber notices a missing one. The hub's own ids are random.
// It handles one update at a time with either.
type numbered struct {
	mercure.Transport
	mu   sync.Mutex
	last int
}

// Dispatch implements mercure.Transport.
func (n *numbered) Dispatch(u *mercure.Update) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	u.ID = strconv.Itoa(n.last)
	return n.Transport.Dispatch(u)
}

// opening writes the id after which a stream begins, with the hub's first bytes.
type opening struct {
	http.ResponseWriter
	from *numbered
	done bool
}

func (o *opening) Write(b []byte) (int, error) {
	if !o.done {
		o.done = true
		o.from.mu.Lock()
		last := o.from.last
		o.from.mu.Unlock()
		if _, err := fmt.Fprintf(o.ResponseWriter, "id: %d\n\n", last); err != nil {
			return 0, err
		}
	}
	return o.ResponseWriter.Write(b)
}

// Unwrap lets the hub flush and set deadlines.
func (o *opening) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// run serves until the process is killed; it prints its address first. The argument
// is the publishers' key.
func run(key string) error {
	transport := &numbered{Transport: mercure.NewLocalTransport()}
	hub, err := mercure.NewHub(mercure.WithTransport(transport), mercure.WithAnonymous(), mercure.WithWriteTimeout(0),
		mercure.WithDispatchTimeout(0), mercure.WithLogger(zap.NewNop()), mercure.WithPublisherJWT([]byte(key), "HS256"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w = &opening{ResponseWriter: w, from: transport}
		}
		hub.ServeHTTP(w, r)
	})}
	return server.Serve(listener)
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
