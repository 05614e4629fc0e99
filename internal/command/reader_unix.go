//go:build unix

package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// WhileRead returns a context that also ends when the reader of standard output has closed
// its pipe; the cause is then the error that a write would return. It is for commands that
// may write nothing for a long time. stop ends the watch of the pipe and waits for it.
func (a *App) WhileRead(parent context.Context) (ctx context.Context, stop func()) {
	output, ok := a.Stdout.(*os.File)
	if !ok || !isPipe(output) {
		return parent, func() {}
	}
	conn, err := output.SyscallConn()
	if err != nil {
		return parent, func() {} // the next write reports a closed file
	}
	stopped, stopping, err := os.Pipe()
	if err != nil {
		return parent, func() {} // without a watch, the next write finds the closed pipe
	}
	ctx, cancel := context.WithCancelCause(parent)
	var watching sync.WaitGroup
	watching.Go(func() {
		// Control keeps the descriptor open. It fails for a closed file only.
		_ = conn.Control(func(fd uintptr) {
			if readerCloses(fd, stopped.Fd()) {
				cancel(&fs.PathError{Op: "write", Path: output.Name(), Err: syscall.EPIPE})
			}
		})
	})
	return ctx, func() {
		_ = stopping.Close()
		watching.Wait()
		_ = stopped.Close()
		cancel(nil)
	}
}

// isPipe reports whether a file has a reader that can close it.
func isPipe(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// readerCloses waits until the reader of output closes it, and reports whether that
// happened before stopped was closed.
func readerCloses(output, stopped uintptr) bool {
	const closed = unix.POLLERR | unix.POLLHUP
	watched := []unix.PollFd{
		{Fd: int32(output), Events: closed},
		{Fd: int32(stopped), Events: unix.POLLIN},
	}
	for {
		_, err := unix.Poll(watched, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && watched[0].Revents&closed != 0 && watched[1].Revents == 0
	}
}
