package host

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/world"
)

// pumps write events to the streams that keep up, each pump to some of them. A round
// of a pump writes all new events to each of its streams, so that under load the next
// round writes more with as many system calls. There is one pump for each processor
// but one, which is left free to poll the network: while goroutines wait for every
// processor, Go polls only every 10 ms.
type pumps struct {
	all   []pump
	count atomic.Uint64
}

func newPumps(h *Host) *pumps {
	p := &pumps{all: make([]pump, max(1, h.options.Processors-1))}
	for i := range p.all {
		p.all[i] = pump{host: h, bell: make(chan struct{}, 1), writer: newDirectWriter()}
	}
	return p
}

// next is the pump of the next stream.
func (p *pumps) next() *pump { return &p.all[p.count.Add(1)%uint64(len(p.all))] }

// pump is a goroutine that writes to many streams and waits for none: a stream whose
// connection accepts no more is released to a goroutine of its own until it has caught
// up. The pump's goroutine runs while there are streams.
type pump struct {
	host   *Host
	bell   chan struct{}
	writer *directWriter

	mu      sync.Mutex
	running bool
	joining []*hijackedStream
	leaving []*hijackedStream

	// The fields below belong to the goroutine.
	streams []*hijackedStream
	// removed is the channel of deletions as of the last check of all streams.
	removed <-chan struct{}
	// due is when a stream has to be checked although no event came.
	due     time.Time
	batches []*batch
}

// join hands the pump a stream that has caught up.
func (p *pump) join(t *hijackedStream) {
	p.mu.Lock()
	p.joining = append(p.joining, t)
	start := !p.running
	if p.running = true; start {
		p.host.streams.open.Add(1)
	}
	p.mu.Unlock()
	if start {
		go p.run()
		return
	}
	signal(p.bell)
}

// dismiss ends a stream whose client is gone, if the pump has it.
func (p *pump) dismiss(t *hijackedStream) {
	p.mu.Lock()
	running := p.running
	if running {
		p.leaving = append(p.leaving, t)
	}
	p.mu.Unlock()
	if running {
		signal(p.bell)
	}
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// run writes until there are no more streams.
func (p *pump) run() {
	defer p.host.streams.open.Done()
	log, draining := p.host.world.Events(), p.host.streams.draining
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	defer func() {
		if cause := recover(); cause != nil {
			p.cut(cause)
		}
	}()
	p.removed = nil
	for p.admit() {
		p.look(&draining)
		wake := log.Wake()
		began := time.Now()
		writes := p.round(log.Head())
		if wait := untilNext(writes, time.Since(began)); wait > 0 {
			timer.Reset(wait)
			<-timer.C
		}
		if time.Now().After(p.due) {
			p.passTime()
		}
		timer.Reset(time.Until(p.due))
		select {
		case <-wake:
		case <-p.removed:
		case <-draining:
		case <-p.bell:
		case <-timer.C:
		}
	}
}

// A round of more than fewWrites that took longer than cheapRound is followed by a wait as
// long as it was, of at most longestWait: the events of that time are sent in one round and
// not in several. At 200 lines a second to a thousand subscribers that saves a seventh of
// the processor time (bench/RESULTS.md, "Choices that measurements decided").
const (
	fewWrites   = 64
	cheapRound  = 500 * time.Microsecond
	longestWait = 5 * time.Millisecond
)

// untilNext returns how long a pump waits after a round, given its number of writes and
// its duration.
func untilNext(writes int, took time.Duration) time.Duration {
	if writes <= fewWrites || took <= cheapRound {
		return 0
	}
	return min(took, longestWait)
}

// cut ends the streams of a pump that panicked, whose clients connect again, and lets
// the next stream restart the pump.
func (p *pump) cut(cause any) {
	p.host.log.Error("a pump of streams panicked; its streams are closed",
		slog.String("panic", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
	p.mu.Lock()
	streams := slices.Concat(p.streams, p.joining)
	p.streams, p.joining, p.leaving, p.batches = nil, nil, nil, nil
	p.running = false
	p.mu.Unlock()
	for _, t := range streams {
		t.at = -1
		t.finish(endClient)
	}
}

// admit takes in the streams that join and ends those whose clients are gone. It
// reports whether there is any stream; where there is none the goroutine ends.
func (p *pump) admit() bool {
	for {
		p.mu.Lock()
		joining, leaving := p.joining, p.leaving
		p.joining, p.leaving = nil, nil
		p.running = len(p.streams)+len(joining)+len(leaving) > 0
		running := p.running
		p.mu.Unlock()
		for _, t := range joining {
			p.add(t)
		}
		for _, t := range leaving {
			if t.at >= 0 {
				p.drop(t)
				t.finish(endClient)
			}
		}
		if !running || len(p.streams) > 0 {
			return running
		}
	}
}

func (p *pump) add(t *hijackedStream) {
	if t.gone.Load() {
		t.finish(endClient)
		return
	}
	t.at = len(p.streams)
	p.streams = append(p.streams, t)
	if due := t.due(); len(p.streams) == 1 || due.Before(p.due) {
		p.due = due
	}
	if t.seen != p.removed {
		p.removed = nil // A stream may have made its own check before the last deletion.
	}
}

// drop removes a stream.
func (p *pump) drop(t *hijackedStream) {
	last := len(p.streams) - 1
	p.streams[t.at] = p.streams[last]
	p.streams[t.at].at = t.at
	p.streams[last] = nil
	p.streams, t.at = p.streams[:last], -1
	if cap(p.streams) > 64 && len(p.streams) < cap(p.streams)/4 {
		p.streams = slices.Clone(p.streams)
	}
}

// release hands a stream to a goroutine of its own.
func (p *pump) release(t *hijackedStream) {
	p.drop(t)
	go t.resume()
}

// look releases the streams that have to check something themselves: whether their
// node still exists, or when to end as the host shuts down.
func (p *pump) look(draining *chan struct{}) {
	removed := p.host.world.Registry().Removed()
	drains := false
	select {
	case <-*draining:
		drains, *draining = true, nil
	default:
		drains = *draining == nil
	}
	if removed == p.removed && !drains {
		return
	}
	p.removed = removed
	for _, t := range slices.Backward(p.streams) {
		switch {
		case drains && !t.drains, t.pass != nil && !t.pass.free && t.seen != removed, !t.nodeExists():
			p.release(t)
		default:
			t.seen = removed
		}
	}
}

// commentChunk is a chunk of commentLine.
var commentChunk = append(append(appendChunkHead(nil, len(commentLine)), commentLine...), lineBreak...)

// passTime writes comment lines, and releases the streams whose lifetime is over.
func (p *pump) passTime() {
	now := time.Now()
	p.due = now.Add(time.Hour)
	for _, t := range slices.Backward(p.streams) {
		if !now.Before(t.deadline) {
			p.release(t)
			continue
		}
		if !now.Before(t.silentUntil()) && !p.write(t, commentChunk, now) {
			continue
		}
		if due := t.due(); due.Before(p.due) {
			p.due = due
		}
	}
}

// yields is the number of writes after which the pump lets other goroutines run, such
// as those that commit the next command.
const yields = 8

// round writes the events up to the log's end to every stream that does not have them, and
// returns how many writes that took.
func (p *pump) round(head uint64) (writes int) {
	now := time.Now()
	for _, t := range slices.Backward(p.streams) {
		for t.at >= 0 && t.cursor < head {
			p.send(t, now)
			if writes++; writes%yields == 0 {
				runtime.Gosched()
				now = time.Now()
			}
		}
	}
	clear(p.batches)
	p.batches = p.batches[:0]
	return writes
}

// send writes the next events to one stream.
func (p *pump) send(t *hijackedStream, now time.Time) {
	b := p.batch(t.cursor, t.inline)
	if b.err != nil || len(b.events) == 0 {
		p.release(t)
		return
	}
	chunk := b.chunk
	if !b.shared && slices.ContainsFunc(b.events, func(e *world.Event) bool { return !e.Shared() && e.VisibleTo(t.caller) }) {
		chunk = chunkOf(b.events, func(e *world.Event) [3][]byte {
			if !e.VisibleTo(t.caller) {
				return [3][]byte{}
			}
			return e.FrameFor(t.caller, t.inline, t.saw(e))
		})
	}
	t.cursor, t.over = b.events[len(b.events)-1].Seq, b.over
	if (len(chunk) == 0 || p.write(t, chunk, now)) && t.over != "" {
		p.release(t)
	}
}

// write writes a chunk to a stream, and reports whether the pump still has the stream
// afterwards.
func (p *pump) write(t *hijackedStream, chunk []byte, now time.Time) bool {
	n, err := p.writer.write(t.raw, chunk)
	t.written, t.lastWrite = t.written+n, now
	switch {
	case err != nil:
		p.drop(t)
		t.finish(endClient)
	case n < len(chunk):
		t.rest = chunk[n:]
		p.release(t)
	default:
		return true
	}
	return false
}

// batch holds the next events of all streams with the same cursor.
type batch struct {
	from   uint64
	inline bool
	events []*world.Event
	err    error
	// chunk has the events that every caller may see; shared reports whether those are all.
	chunk  []byte
	shared bool
	// over is the reason why streams end after the batch.
	over endReason
}

// maxBatches is how many batches are kept in a round: nearly all streams have the same
// cursor.
const maxBatches = 16

// batch returns the batch for streams with a cursor, built once in a round.
func (p *pump) batch(from uint64, inline bool) *batch {
	for _, b := range p.batches {
		if b.from == from && b.inline == inline {
			return b
		}
	}
	b := &batch{from: from, inline: inline, shared: true}
	b.events, _, b.err = p.host.world.Events().Since(from, nil)
	for i, e := range b.events {
		b.shared = b.shared && e.Shared()
		if e.Ends {
			b.events, b.over = b.events[:i+1], endReset
			break
		}
	}
	b.chunk = chunkOf(b.events, func(e *world.Event) [3][]byte {
		if !e.Shared() {
			return [3][]byte{}
		}
		return e.FrameFor(world.Caller{}, inline, false)
	})
	if len(p.batches) == maxBatches {
		p.batches = p.batches[:0]
	}
	p.batches = append(p.batches, b)
	return b
}

// chunkOf returns one chunk with the frames of events; nil if they have none.
func chunkOf(events []*world.Event, frame func(*world.Event) [3][]byte) []byte {
	length := 0
	for _, e := range events {
		for _, part := range frame(e) {
			length += len(part)
		}
	}
	if length == 0 {
		return nil
	}
	chunk := appendChunkHead(make([]byte, 0, length+16), length)
	for _, e := range events {
		for _, part := range frame(e) {
			chunk = append(chunk, part...)
		}
	}
	return append(chunk, lineBreak...)
}
