package hybrid

import "time"

// gpuUse is for which part of the time the GPU is used. While that is little, the Pool's workers
// need not leave Ps to the goroutines that serve it (Executor.spare): without work they wake sooner
// if they keep them.
type gpuUse struct {
	busy   bool    // it has a batch of the queues
	share  float64 // of the time
	seen   time.Duration
	spares bool // workers leave Ps
}

// The share is averaged over useTime. Workers leave Ps from mostUse on, until it is below leastUse.
const (
	useTime           = 20 * time.Millisecond
	leastUse, mostUse = 0.1, 0.25
)

// observe lets time pass.
func (u *gpuUse) observe(now time.Duration) {
	passed, target := float64(max(now-u.seen, 0)), 0.0
	if u.busy {
		target = 1
	}
	u.seen = max(u.seen, now)
	u.share += passed / (passed + float64(useTime)) * (target - u.share)
	u.spares = u.share > mostUse || u.spares && u.share >= leastUse
}

// set records that the GPU has a batch from now on, or none.
func (u *gpuUse) set(busy bool, now time.Duration) {
	u.observe(now)
	u.busy = busy
}

// take records that much is coming.
func (u *gpuUse) take(now time.Duration) {
	u.share, u.seen, u.spares = 1, max(u.seen, now), true
}
