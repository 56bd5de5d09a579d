package hybrid

import "time"

// gpuUse is for which part of the time the GPU is used. While that is little, the Pool's workers
// need not leave Ps to the goroutines that serve it (Executor.spare): without work they wake sooner
// if they keep them.
type gpuUse struct {
	share  float64 // of the time
	seen   time.Duration
	spares bool // workers leave Ps
}

// The share is averaged over useTime. Workers leave Ps from mostUse on, until it is below leastUse.
const (
	useTime           = 20 * time.Millisecond
	leastUse, mostUse = 0.1, 0.25
)

// observe records whether the GPU is used now.
func (u *gpuUse) observe(used bool, now time.Duration) {
	passed, target := float64(max(now-u.seen, 0)), 0.0
	if used {
		target = 1
	}
	u.seen = max(u.seen, now)
	u.share += passed / (passed + float64(useTime)) * (target - u.share)
	u.spares = u.share > mostUse || u.spares && u.share >= leastUse
}

// take records that much is coming.
func (u *gpuUse) take(now time.Duration) { *u = gpuUse{1, max(u.seen, now), true} }
