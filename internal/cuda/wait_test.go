package cuda

import (
	"errors"
	"testing"
	"time"
)

// TestWait waits for work that finishes, that fails and that never finishes.
func TestWait(t *testing.T) {
	broken := errors.New("broken")
	for _, v := range []struct {
		polls int
		err   error
		limit time.Duration
		want  error
	}{{1, nil, 0, nil}, {300, nil, time.Hour, nil}, {3, broken, time.Hour, broken}, {1 << 30, nil, time.Millisecond, ErrDevice}} {
		n := 0
		err := wait(func() (bool, error) {
			n++
			return n == v.polls && v.err == nil, map[bool]error{true: v.err}[n == v.polls]
		}, v.limit)
		if !errors.Is(err, v.want) || (v.want == nil || v.want == broken) && n != v.polls {
			t.Errorf("%+v: %v after %d polls", v, err, n)
		}
		if errors.Is(err, errHang) != (v.want == ErrDevice) {
			t.Errorf("%+v: %v", v, err)
		}
	}
}
