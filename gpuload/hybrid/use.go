package hybrid

import "time"

// gpuUse measures the share of time in which the GPU has batches of the queues. While that is small,
// the Pool's workers keep their Ps, and so wake sooner, rather than leave them to the goroutines that
// serve the GPU (Executor.spare).
type gpuUse struct {
	busy   bool    // the GPU has a batch
	share  float64 // moving average
	seen   time.Duration
	spares bool // workers leave Ps
}

// The share is averaged over useTime. Workers leave Ps from mostUse on, until it is below leastUse.
const (
	useTime           = 5 * time.Millisecond
	leastUse, mostUse = 0.1, 0.25
)

// observe advances the average to now.
func (u *gpuUse) observe(now time.Duration) {
	passed, target := float64(max(now-u.seen, 0)), 0.0
	if u.busy {
		target = 1
	}
	u.seen = max(u.seen, now)
	u.share += passed / (passed + float64(useTime)) * (target - u.share)
	u.spares = u.share > mostUse || u.spares && u.share >= leastUse
}

// set records whether the GPU has a batch from now on.
func (u *gpuUse) set(busy bool, now time.Duration) {
	u.observe(now)
	u.busy = busy
}

// take counts the GPU as used all the time, for work that is about to come.
func (u *gpuUse) take(now time.Duration) {
	u.share, u.seen, u.spares = 1, max(u.seen, now), true
}
