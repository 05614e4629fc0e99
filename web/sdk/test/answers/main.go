// Command answers prints the results of the Go code for JSON texts and event streams,
// so that the tests of the TypeScript client can compare their own results with them
// for random input. Each line of its input is a text as a JSON string; each line of
// its output is the chain package's result for the text. With the argument `streams`
// each line of its input is the body of an event stream in base64, and each line of
// its output the Go client's reports about the stream.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/playctl/playctl/chain"
)

// answer is the chain package's result for one text.
type answer struct {
	// Canonical and LeafDigestHex are empty for a rejected text.
	Canonical     string `json:"canonical,omitempty"`
	LeafDigestHex string `json:"leafDigestHex,omitempty"`
	// Snapshot is absent for a text that is not a snapshot, Node for one that is not a
	// chain node.
	Snapshot *root  `json:"snapshot,omitempty"`
	Node     string `json:"node,omitempty"`
	// Notify is false for a text that is not a playerChainNotify; Order contains its
	// keys in the order in which they are read one by one.
	Notify bool     `json:"notify"`
	Order  []string `json:"order,omitempty"`
}

// root is the root of a chain.
type root struct {
	Hex   string `json:"merkleRootHex"`
	Count int    `json:"merkleLeafCount"`
}

// longestLine is the largest length of one text.
const longestLine = 1 << 20

func main() {
	answer := func(line []byte) (any, error) { return answerToLine(line) }
	if len(os.Args) > 1 && os.Args[1] == "streams" { //nolint:forbidigo // as below
		answer = func(line []byte) (any, error) { return signalsOfLine(line) }
	}
	if err := run(os.Stdin, os.Stdout, answer); err != nil { //nolint:forbidigo // this is main
		fmt.Fprintln(os.Stderr, "answers:", err) //nolint:forbidigo // as above
		os.Exit(1)                               //nolint:forbidigo // as above
	}
}

// run answers until the input ends.
func run(in io.Reader, out io.Writer, answer func(line []byte) (any, error)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	answers := bufio.NewWriter(out)
	encoder := json.NewEncoder(answers)
	for lines.Scan() {
		said, err := answer(lines.Bytes())
		if err != nil {
			return err
		}
		if err := encoder.Encode(said); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the texts: %w", err)
	}
	if err := answers.Flush(); err != nil {
		return fmt.Errorf("write the answers: %w", err)
	}
	return nil
}

func answerToLine(line []byte) (answer, error) {
	var text string
	if err := json.Unmarshal(line, &text); err != nil {
		return answer{}, fmt.Errorf("a line is no JSON string: %w", err)
	}
	return answerTo([]byte(text)), nil
}

// answerTo returns all results for one text.
func answerTo(text []byte) answer {
	var a answer
	canonical, err := chain.Canonicalize(nil, text)
	if err != nil {
		return a
	}
	a.Canonical, a.LeafDigestHex = string(canonical), chain.LeafDigest(canonical).String()
	if s, _, err := chain.ParseSnapshot(text); err == nil {
		tree := s.Tree()
		a.Snapshot = &root{tree.Root().String(), tree.Len()}
	}
	if reply, err := chain.ParseNodeRPCBody(fmt.Appendf(nil, `{"node":%s}`, text)); err == nil {
		a.Node = reply.Node.Kind + " " + reply.Node.StableKey
	}
	if notify, err := chain.ParseFanoutNotify(text); err == nil && notify != nil {
		a.Notify = true
		for _, ref := range chain.SortNodeRefsForSerializedFetch(notify.Nodes) {
			a.Order = append(a.Order, ref.StableKey)
		}
	}
	return a
}
