package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// envLoad is set in a process that runs a task instead of the tests.
const envLoad = "PLAYCTL_BENCH_LOAD"

// task is the load on some connections, for a duration or a number of requests on
// each: the next request is sent when the previous one was answered, or when it is
// due at a pace in requests a second. Each connection has one of the requests; a
// single connection sends all of them in turn.
type task struct {
	Addr        string
	Secure      bool
	Connections int
	Requests    [][]byte
	Pace        int
	Count       int
	Length      time.Duration
}

// sent is the result of a task.
type sent struct {
	// Took are the durations of requests, the shortest first. A request at a pace
	// counts from the time when it was due.
	Took    []time.Duration
	Failure string

	// cpu is the processor time of the process.
	cpu time.Duration
}

func (k *task) run() sent {
	var mu sync.Mutex
	var all sent
	var clients sync.WaitGroup
	start := time.Now()
	for i := range k.Connections {
		clients.Go(func() {
			took, err := k.send(i, start)
			mu.Lock()
			defer mu.Unlock()
			all.Took = append(all.Took, took...)
			if err != nil {
				all.Failure = err.Error()
			}
		})
	}
	clients.Wait()
	slices.Sort(all.Took)
	return all
}

// send runs one connection.
func (k *task) send(i int, start time.Time) (took []time.Duration, err error) {
	c, err := connect(k.Addr, k.Secure)
	if err != nil {
		return nil, err
	}
	defer c.close()
	for n := 0; k.Count == 0 || n < k.Count; n++ {
		ask := k.Requests[i%len(k.Requests)]
		if k.Connections == 1 {
			ask = k.Requests[n%len(k.Requests)]
		}
		from := time.Now()
		if k.Pace > 0 {
			from = start.Add(time.Duration(n*k.Connections+i) * time.Second / time.Duration(k.Pace))
			<-time.After(time.Until(from))
		}
		if from.Sub(start) > k.Length {
			return took, nil
		}
		status, body, err := c.do(ask)
		if err != nil || status != http.StatusOK {
			return took, fmt.Errorf("status %d, %w: %s", status, err, body)
		}
		took = append(took, time.Since(from))
	}
	return took, nil
}

// runLoad runs the task on its standard input.
func runLoad(string) error {
	var k task
	if err := json.NewDecoder(os.Stdin).Decode(&k); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(k.run())
}

// begin runs a task in a process of its own, and returns a function that waits for
// its end. In the process of a thousand readers a writer would wait behind those
// woken by its last line.
func (t *table) begin(k task) (wait func() sent) {
	t.b.Helper()
	text, err := json.Marshal(k)
	must(t.b, err)
	cmd := exec.Command(os.Args[0]) //nolint:gosec // this program itself
	cmd.Env = append(os.Environ(), envLoad+"=1")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), os.Stderr
	var out bytes.Buffer
	cmd.Stdout = &out
	must(t.b, cmd.Start())
	return func() sent {
		t.b.Helper()
		must(t.b, cmd.Wait())
		var s sent
		must(t.b, json.Unmarshal(out.Bytes(), &s))
		if s.Failure != "" {
			t.b.Error(s.Failure)
		}
		s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		return s
	}
}
