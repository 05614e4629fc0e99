//go:build full

package siege

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/test/hostprocess"
)

// usage is the resources that a host uses.
type usage struct {
	memory      int64
	descriptors int
}

// used returns the private memory of a host and the memory of its connections in
// the system, in bytes. The pages of the mapped store file belong to the system: it
// reclaims them when it needs them.
func used(t *testing.T, host *hostprocess.Host) int64 {
	t.Helper()
	private, err := sum(fmt.Sprintf("/proc/%d/smaps_rollup", host.PID()), func(f []string) (int64, error) {
		if len(f) != 3 || f[0] != "Anonymous:" {
			return 0, nil
		}
		kib, err := strconv.ParseInt(f[1], 10, 64)
		return kib << 10, err
	})
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(host.URL())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	// Its fields are those of proc(5): the local address, and the bytes that wait to
	// be sent and to be read.
	own := fmt.Sprintf(":%04X", port)
	buffers, err := sum("/proc/net/tcp", func(f []string) (int64, error) {
		if len(f) < 5 || !strings.HasSuffix(f[1], own) {
			return 0, nil
		}
		var unsent, unread int64
		_, err := fmt.Sscanf(f[4], "%x:%x", &unsent, &unread)
		return unsent + unread, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return private + buffers
}

// sum adds up the values of the lines of a file.
func sum(path string, of func(fields []string) (int64, error)) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("measure: %w", err)
	}
	defer func() { _ = file.Close() }()
	var total int64
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		n, err := of(strings.Fields(lines.Text()))
		if err != nil {
			return 0, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		total += n
	}
	return total, lines.Err()
}

// watchUsage measures ten times a second until most is called, which returns the
// greatest usage.
func watchUsage(ctx context.Context, t *testing.T, host *hostprocess.Host) (most func() usage) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan usage)
	go func() {
		var seen usage
		for ctx.Err() == nil {
			seen.memory = max(seen.memory, used(t, host))
			open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", host.PID()))
			if err != nil {
				t.Error(err)
				break
			}
			seen.descriptors = max(seen.descriptors, len(open))
			wait(ctx, 100*time.Millisecond)
		}
		done <- seen
	}()
	return func() usage {
		cancel()
		return <-done
	}
}

// settled waits for at most a minute until the host has little more than its
// idle memory again.
func settled(t *testing.T, host *hostprocess.Host, idle int64) {
	t.Helper()
	const more = 32 << 20
	end := time.Now().Add(time.Minute)
	for used(t, host) > idle+more {
		if time.Now().After(end) {
			t.Errorf("a minute later the host uses %d MiB, before the siege %d", used(t, host)>>20, idle>>20)
			return
		}
		wait(t.Context(), time.Second)
	}
}
