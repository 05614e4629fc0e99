package sdk_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheCopyFollowsANewHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := openHost(t), openHost(t)
		busy(t, first, func() {}) // its log is longer than the second one's will be
		way := &exit{target: first.Transport()}
		f := follow(t, first, &meddler{next: way}, nil)
		f.equal()
		addAgent(t, visit(t, second, nil), "eve", nil)
		way.set(second.Transport())
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Minute)
		f.host = second
		f.equal()
		addAgent(t, visit(t, second, nil), "mallory", nil)
		f.equal()
	})
}

// The other host's log ends just where the first one's did, so that it takes the
// position for one of its own and has nothing to send.
func TestTheCopyFollowsANewHostAtTheSamePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := openHost(t), openHost(t)
		addAgent(t, visit(t, first, nil), "ada", nil)
		addAgent(t, visit(t, second, nil), "eve", nil)
		way := &exit{target: first.Transport()}
		f := follow(t, first, &meddler{next: way}, nil)
		f.equal()
		way.set(second.Transport())
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Minute)
		f.host = second
		f.equal()
	})
}
