package sdk_test

import (
	"io"
	"net/http"
	"sync"

	"github.com/playctl/playctl/protocol"
)

// breakable is a connection to a host whose streams a test can break.
type breakable struct {
	*switchable
	// ask is called with each request for a stream before the host receives it.
	ask func(*http.Request)

	mu  sync.Mutex
	cut chan struct{}
}

// breakStream breaks the most recently opened stream as soon as data arrives on it.
func (b *breakable) breakStream() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.cut)
}

func (b *breakable) RoundTrip(r *http.Request) (*http.Response, error) {
	stream := r.URL.Path == protocol.ServicePlay.Events()
	if stream && b.ask != nil {
		b.ask(r)
	}
	response, err := b.switchable.RoundTrip(r)
	if err == nil && stream {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.cut = make(chan struct{})
		response.Body = &cutBody{ReadCloser: response.Body, cut: b.cut}
	}
	return response, err
}

// cutBody is a body whose reads fail once its channel is closed.
type cutBody struct {
	io.ReadCloser
	cut chan struct{}
}

func (b *cutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	select {
	case <-b.cut:
		return 0, io.ErrUnexpectedEOF
	default:
		return n, err
	}
}
