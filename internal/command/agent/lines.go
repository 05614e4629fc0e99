package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

const (
	// maxLine limits a line of a program to the size of the largest answer.
	maxLine = protocol.MaxBodyBytes
	// waitingLines limits the lines that wait for a program to read them, and the lines of
	// one answer that wait for the host.
	waitingLines = 64
	// steadyTime is the length of a run after which the waits before a restart begin with
	// the first one again.
	steadyTime = time.Minute
)

// startAgain has the waits before a program that ended is started again.
var startAgain = retry.Backoff{First: 500 * time.Millisecond, Max: 30 * time.Second}

// errProgramEnded is the error that an asker gets when the program ends before its answer.
var errProgramEnded = errors.New("the agent's program ended before it answered")

// lineQuestion is a command for a program with --lines.
type lineQuestion struct {
	ID       string          `json:"id"`                 // the id that the answer repeats
	Kind     string          `json:"kind,omitempty"`     // chat, or assist for a tool
	Text     string          `json:"text,omitempty"`     // what is asked
	ToolName string          `json:"toolName,omitempty"` // the tool that is called
	Args     json.RawMessage `json:"args,omitempty"`     // the arguments of the tool
	From     string          `json:"from,omitempty"`     // the asker's id
	Cancel   bool            `json:"cancel,omitempty"`   // true if the question of this id needs no answer any more
}

// lineAnswer is a line of a program: a part of an answer, its end, or what the agent does.
type lineAnswer struct {
	ID       string          `json:"id"`
	Part     *string         `json:"part"`
	Message  string          `json:"message"`
	Result   json.RawMessage `json:"result"`
	Error    string          `json:"error"`
	Activity json.RawMessage `json:"activity"`
}

// lineProgram is a program that answers all commands, one run after the other.
type lineProgram struct {
	*commandRunner
	mu sync.Mutex
	// now is the current run, nil between two runs; changed is closed when now changes.
	now     *lineRun
	changed chan struct{}
	shows   *lineActivity
}

// lineRun is one process of the program.
type lineRun struct {
	lines chan []byte
	ended chan struct{}
	mu    sync.Mutex
	open  map[string]chan lineAnswer
}

func newLineProgram(runner *commandRunner, shows *lineActivity) *lineProgram {
	return &lineProgram{commandRunner: runner, shows: shows, changed: make(chan struct{})}
}

// keep runs the program again and again until ctx ends.
func (p *lineProgram) keep(ctx context.Context) {
	for failures := 1; ctx.Err() == nil; failures++ {
		began := time.Now()
		err := p.once(ctx)
		if ctx.Err() != nil {
			return
		}
		p.shows.end(ctx)
		if time.Since(began) >= steadyTime {
			failures = 1
		}
		how := "it ended"
		if err != nil {
			how = err.Error()
		}
		p.Note("The program will be restarted in a moment: %s", render.Clean(how))
		startAgain.Wait(ctx, failures)
	}
}

// once runs the program to its end.
func (p *lineProgram) once(ctx context.Context) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := p.start(ctx)
	complaints := &noteLines{app: p.App}
	cmd.Stderr = complaints
	input, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	run := &lineRun{lines: make(chan []byte, waitingLines), ended: make(chan struct{}), open: map[string]chan lineAnswer{}}
	p.show(run)
	// A child process that outlives the program may hold its output open.
	stopClosing := context.AfterFunc(ctx, func() { time.AfterFunc(2*killDelay, func() { _ = output.Close() }) })
	defer stopClosing()
	var writing sync.WaitGroup
	writing.Go(func() { run.write(input) })
	err = p.read(ctx, run, output)
	stop() // a program that closed its output cannot answer any more
	p.show(nil)
	close(run.ended)
	ended := cmd.Wait()
	writing.Wait()
	complaints.flush()
	return errors.Join(err, ended)
}

// show sets the run that receives questions.
func (p *lineProgram) show(run *lineRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = run
	close(p.changed)
	p.changed = make(chan struct{})
}

// write writes lines to the program until the run has ended or the program stops reading.
func (r *lineRun) write(input io.WriteCloser) {
	defer func() { _ = input.Close() }()
	for {
		select {
		case line := <-r.lines:
			if _, err := input.Write(line); err != nil {
				return
			}
		case <-r.ended:
			return
		}
	}
}

// read reads the program's lines until it closes its output. It returns an error for a
// line that is too long.
func (p *lineProgram) read(ctx context.Context, run *lineRun, output io.Reader) error {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var answer lineAnswer
		err := protocol.Decode(lines.Bytes(), &answer)
		if err == nil && answer.Activity != nil {
			if err := p.shows.take(ctx, answer.Activity); err != nil {
				p.Note("The program printed an activity that cannot be used: %s", render.Clean(brief(err.Error())))
			}
			continue
		}
		if err != nil || answer.ID == "" {
			if len(bytes.TrimSpace(lines.Bytes())) > 0 {
				p.Note("The program printed a line that is not an answer: %s", render.Clean(brief(lines.Text())))
			}
			continue
		}
		run.mu.Lock()
		waiting := run.open[answer.ID]
		run.mu.Unlock()
		if waiting == nil {
			continue // it was answered before, or its time is over
		}
		select {
		case waiting <- answer:
		case <-ctx.Done():
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("it printed a line of more than %d bytes", maxLine)
	}
	return nil
}

// running waits until the program runs.
func (p *lineProgram) running(ctx context.Context) (*lineRun, error) {
	for {
		p.mu.Lock()
		run, changed := p.now, p.changed
		p.mu.Unlock()
		if run != nil {
			return run, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// run is the executor: it sends the question to the program and forwards the answer.
func (p *lineProgram) run(ctx context.Context, call *sdk.IntercomCall) (sdk.IntercomAnswer, error) {
	run, err := p.running(ctx)
	if err != nil {
		return sdk.IntercomAnswer{}, err
	}
	asked := &call.Command
	// If the host is slow, the reader waits: the buffer is bounded.
	answers := make(chan lineAnswer, waitingLines)
	run.mu.Lock()
	run.open[asked.RequestID] = answers
	run.mu.Unlock()
	defer func() {
		run.mu.Lock()
		delete(run.open, asked.RequestID)
		run.mu.Unlock()
		for {
			select {
			case <-answers: // unblocks a reader that waits here
			default:
				return
			}
		}
	}()
	err = run.send(ctx, &lineQuestion{
		ID: asked.RequestID, Kind: asked.Kind, Text: asked.Text, ToolName: asked.ToolName, Args: asked.Args, From: asked.FromPlayerID,
	})
	if err != nil {
		return sdk.IntercomAnswer{}, err
	}
	given, err := p.collect(ctx, run, call, answers)
	if ctx.Err() != nil {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), killDelay)
		defer cancel()
		_ = run.send(limited, &lineQuestion{ID: asked.RequestID, Cancel: true}) // the program may no longer read
	}
	return given, err
}

// collect reads the parts of an answer and its end.
func (p *lineProgram) collect(ctx context.Context, run *lineRun, call *sdk.IntercomCall, answers <-chan lineAnswer) (sdk.IntercomAnswer, error) {
	var parts strings.Builder
	for {
		answer, err := run.next(ctx, answers)
		if err != nil {
			return sdk.IntercomAnswer{}, err
		}
		parted := answer.Part != nil
		if parted && parts.Len()+len(*answer.Part) > p.maxOutput || len(answer.Message)+len(answer.Result) > p.maxOutput {
			return sdk.IntercomAnswer{}, fmt.Errorf("the agent's program printed more than %d bytes", p.maxOutput)
		}
		switch {
		case answer.Error != "":
			return sdk.IntercomAnswer{}, errors.New(answer.Error)
		case parted:
			parts.WriteString(*answer.Part)
			if err := call.Stream(ctx, sdk.IntercomAnswer{Message: *answer.Part}); err != nil {
				return sdk.IntercomAnswer{}, err
			}
			continue
		case answer.Message == "" && answer.Result == nil:
			answer.Message = parts.String()
		}
		return sdk.IntercomAnswer{Message: answer.Message, Result: answer.Result}, nil
	}
}

// next waits for a line of an answer, also one that arrived before the program ended.
func (r *lineRun) next(ctx context.Context, answers <-chan lineAnswer) (lineAnswer, error) {
	select {
	case answer := <-answers:
		return answer, nil
	case <-r.ended:
	case <-ctx.Done():
		return lineAnswer{}, context.Cause(ctx)
	}
	select {
	case answer := <-answers:
		return answer, nil
	default:
		return lineAnswer{}, errProgramEnded
	}
}

// send queues a line for the program.
func (r *lineRun) send(ctx context.Context, question *lineQuestion) error {
	text, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("encode the command: %w", err)
	}
	select {
	case r.lines <- append(text, '\n'):
		return nil
	case <-r.ended:
		return errProgramEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// noteLines shows a program's standard error, line by line.
type noteLines struct {
	app  *command.App
	kept []byte
}

// Write implements io.Writer. A line that is longer than maxComplaint is shown in parts.
func (n *noteLines) Write(p []byte) (int, error) {
	n.kept = append(n.kept, p...)
	for {
		line, rest, found := bytes.Cut(n.kept, []byte("\n"))
		if !found && len(n.kept) < maxComplaint {
			return len(p), nil
		}
		n.app.Note("%s", render.Clean(string(line)))
		n.kept = append(n.kept[:0], rest...)
		if !found {
			return len(p), nil
		}
	}
}

func (n *noteLines) flush() {
	if len(n.kept) > 0 {
		n.app.Note("%s", render.Clean(string(n.kept)))
	}
}
