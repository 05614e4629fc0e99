package command

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Progress counts what long work has done, for the line that a person sees meanwhile.
// The zero value counts from 0 to an unknown end.
type Progress struct {
	done, total atomic.Int64
}

// Expect sets the amount of all work, 0 if it is not known, and begins again at 0.
func (p *Progress) Expect(total int64) {
	p.done.Store(0)
	p.total.Store(total)
}

// Add counts work that is done.
func (p *Progress) Add(amount int) { p.done.Add(int64(amount)) }

// Reader counts the bytes that are read.
func (p *Progress) Reader(from io.Reader) io.Reader { return io.TeeReader(from, counter{p}) }

// Input is Reader for a whole input: if it is a file, its bytes are the amount to expect.
func (p *Progress) Input(in io.Reader) io.Reader {
	size := int64(0)
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	p.Expect(size)
	return p.Reader(in)
}

// Writer counts the bytes that are written.
func (p *Progress) Writer(to io.Writer) io.Writer { return io.MultiWriter(to, counter{p}) }

type counter struct{ *Progress }

// Write implements io.Writer.
func (c counter) Write(text []byte) (int, error) {
	c.Add(len(text))
	return len(text), nil
}

// Bytes returns a label for Watching with the number of bytes so far.
func (p *Progress) Bytes(label string) func() string {
	return func() string { return p.text(label, inMebibytes, "MiB") }
}

// Items returns a label for Watching with the number of items so far; many is their name.
func (p *Progress) Items(label, many string) func() string {
	return func() string { return p.text(label, Decimal, many) }
}

func (p *Progress) text(label string, number func(int64) string, unit string) string {
	done, total := p.done.Load(), p.total.Load()
	switch {
	case done == 0:
		return label
	case total > 0:
		return fmt.Sprintf("%s: %s of %s %s", label, number(done), number(max(done, total)), unit)
	}
	return fmt.Sprintf("%s: %s %s", label, number(done), unit)
}

func inMebibytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/(1<<20)) }

// AwaitWith is Await with a label that shows progress.
func AwaitWith[T any](a *App, label func() string, work func() (T, error)) (result T, err error) {
	err = a.Watching(label, func() (err error) {
		result, err = work()
		return err
	})
	return result, err
}
