package port

import (
	"fmt"
	"net"
	"strconv"

	"golang.org/x/sys/unix"
)

// Hold is like Keep, until release is called, which is required.
//
// A socket is bound to the port and never listens. Both this socket and a later
// server allow their address to be reused (SO_REUSEADDR of socket(7), which Go and
// Redis set by themselves), which lets a bound socket and a listening one exist
// side by side. The kernel does not give a bound port to requests for any free
// port.
func Hold() (addr string, release func(), err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("keeping a port: a socket: %w", err)
	}
	release = func() { _ = unix.Close(fd) }
	number, err := bind(fd)
	if err != nil {
		release()
		return "", nil, fmt.Errorf("keeping a port: %w", err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(number)), release, nil
}

// bind binds a socket to a free port, which it returns.
func bind(fd int) (int, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return 0, fmt.Errorf("SO_REUSEADDR: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, fmt.Errorf("binding to 127.0.0.1: %w", err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return 0, fmt.Errorf("reading its number: %w", err)
	}
	at4, ok := at.(*unix.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("the address is a %T", at)
	}
	return at4.Port, nil
}
