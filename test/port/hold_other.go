//go:build !linux

package port

import (
	"context"
	"fmt"
	"net"
)

// Hold is like Keep, until release is called, which is required.
func Hold() (addr string, release func(), err error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("looking for a port: %w", err)
	}
	addr = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return "", nil, fmt.Errorf("looking for a port: %w", err)
	}
	return addr, func() {}, nil
}
