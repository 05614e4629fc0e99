//go:build linux

package port

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
)

// A server starts, stops and starts again; while it is stopped no other process
// gets the port.
func TestKeptPortCanBeReused(t *testing.T) {
	addr := Keep(t)
	for range 3 {
		if conn, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("without a listener a client gets %v, %v", conn, err)
		}
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		client, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		// The server ends first, so its side of the connection lingers.
		if err := errors.Join(server.Close(), listener.Close(), client.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A request for any free port never gets a kept one: of thousands of ports one
// would be, if that were possible.
func TestKeptPortIsNotReassigned(t *testing.T) {
	kept := map[string]bool{}
	for range 300 {
		kept[Keep(t)] = true
	}
	if len(kept) != 300 {
		t.Fatalf("300 calls returned %d different ports", len(kept))
	}
	for range 3000 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := listener.Addr().String()
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		if kept[addr] {
			t.Fatalf("%s was given to another listener", addr)
		}
	}
}

func TestPortIsReleased(t *testing.T) {
	addr, release, err := Hold()
	if err != nil || !strings.HasPrefix(addr, "127.0.0.1:") {
		t.Fatalf("%q, %v", addr, err)
	}
	// Without SO_REUSEADDR a port is exclusive.
	alone := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		return errors.Join(raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0)
		}), err)
	}}
	if _, err := alone.Listen(t.Context(), "tcp", addr); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a kept port: %v", err)
	}
	release()
	listener, err := alone.Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatalf("a released port: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
}
