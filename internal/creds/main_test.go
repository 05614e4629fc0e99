package creds

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/protocol"
)

// envWriter makes the test binary run as a second program: it adds contexts to the
// credentials file named by the variable, and exits.
const envWriter = "CREDS_TEST_WRITER"

// writerContexts is how many contexts each writing process adds.
const writerContexts = 20

func TestMain(m *testing.M) {
	if task, ok := os.LookupEnv(envWriter); ok {
		if err := runWriter(task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// runWriter adds contexts in one Update each. task is "<name>=<path>".
func runWriter(task string) error {
	name, path, _ := strings.Cut(task, "=")
	store := NewStore(path)
	for i := range writerContexts {
		err := store.Update(context.Background(), func(f *File) error {
			c, err := NewContext(fmt.Sprintf("%s-%d", name, i), "http://localhost:7420", protocol.ServicePlay, time.Unix(0, 0))
			if err != nil {
				return err
			}
			return f.Add(c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
