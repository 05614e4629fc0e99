package otel

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/VictoriaMetrics/easyproto"

	"github.com/playctl/playctl/internal/otel"
)

// grpcCodes are the codes of gRPC for HTTP statuses.
var grpcCodes = map[int]string{
	http.StatusBadRequest:            "3",
	http.StatusRequestEntityTooLarge: "8",
	http.StatusNotFound:              "12",
	http.StatusUnsupportedMediaType:  "12",
	http.StatusServiceUnavailable:    "14",
	http.StatusUnauthorized:          "16",
}

// methods returns the handler for the methods of OTLP over gRPC, each of which takes one
// message and replies with one. Metrics and logs are dropped, as over HTTP.
func (r *receiver) methods() http.Handler {
	mux := http.NewServeMux()
	for service, take := range map[string]taker{
		"trace.v1.TraceService": r.take, "metrics.v1.MetricsService": drop, "logs.v1.LogsService": drop,
	} {
		mux.HandleFunc("POST /opentelemetry.proto.collector."+service+"/Export", func(w http.ResponseWriter, q *http.Request) {
			rejected, code, err := r.call(q, take)
			if err != nil {
				refuseCall(w, code, err.Error())
				return
			}
			acceptCall(w, partial(&rejected))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuseCall(w, http.StatusNotFound, "only the methods of OTLP are served")
	})
	return mux
}

// call reads the message of a call and passes it to take. code is the HTTP status of an
// error.
func (r *receiver) call(q *http.Request, take taker) (rejected otel.Rejected, code int, err error) {
	if !r.shows(q.Header.Get("Authorization")) {
		return rejected, http.StatusUnauthorized, errors.New(whyForbidden)
	}
	// Before a message are a byte that says whether it is compressed and its length.
	var prefix [5]byte
	if _, err := io.ReadFull(q.Body, prefix[:]); err != nil {
		return rejected, http.StatusBadRequest, errors.New("the call has no message")
	}
	length := int64(binary.BigEndian.Uint32(prefix[1:]))
	if length > int64(r.longest) {
		return rejected, http.StatusRequestEntityTooLarge, fmt.Errorf("the message has more than %d bytes", r.longest)
	}
	encoding := ""
	if prefix[0] != 0 {
		encoding = q.Header.Get("Grpc-Encoding")
	}
	message := &io.LimitedReader{R: q.Body, N: length}
	complete := func(body []byte, isJSON bool) (otel.Rejected, int, error) {
		if message.N > 0 {
			return otel.Rejected{}, http.StatusBadRequest, errors.New("the message ends too early")
		}
		return take(body, isJSON)
	}
	return r.receive(q.Context(), message, encoding, false, complete)
}

// acceptCall replies to a call with a message.
func acceptCall(w http.ResponseWriter, message []byte) {
	header := w.Header()
	header.Set("Content-Type", "application/grpc")
	header.Set("Trailer", "Grpc-Status")
	reply := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	_, _ = w.Write(append(reply, message...))
	header.Set("Grpc-Status", "0")
}

// refuseCall replies to a call with an error.
func refuseCall(w http.ResponseWriter, code int, why string) {
	header := w.Header()
	header.Set("Content-Type", "application/grpc")
	header.Set("Grpc-Status", grpcCodes[code])
	header.Set("Grpc-Message", url.PathEscape(why))
	if code == http.StatusServiceUnavailable {
		header.Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(again(why)))
	}
}

// again returns the google.rpc.Status of a call that may be sent again after a time, which
// its RetryInfo states.
func again(why string) []byte {
	return marshal(func(status *easyproto.MessageMarshaler) {
		status.AppendInt32(1, 14)
		status.AppendString(2, why)
		details := status.AppendMessage(3)
		details.AppendString(1, "type.googleapis.com/google.rpc.RetryInfo")
		details.AppendMessage(2).AppendMessage(1).AppendInt64(1, int64(retryAfter/time.Second))
	})
}
