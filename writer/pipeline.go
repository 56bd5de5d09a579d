package writer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/writer/internal/invert"
)

// pipeline gathers documents into batches for workers to invert. Results are
// absorbed in order by the goroutine that holds the absorber role, usually the
// worker that finished the next batch in order.
type pipeline struct {
	w    *Writer
	pool invert.Pool
	seed uint64

	gate  chan struct{} // held while documents enter
	slots chan struct{} // one for each batch that may be in flight
	total int           // capacity of slots
	cur   *invert.Batch // being filled, or nil; guarded by gate
	seq   uint64        // of the next batch; guarded by gate

	work    chan *invert.Batch
	workers sync.WaitGroup
	ctx     context.Context // ends when the Writer fails or closes
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	cond   sync.Cond
	ready  map[uint64]*invert.Batch // inverted, not absorbed
	cuts   map[uint64]int           // how many calls of exclusive wait until the batches before this one are absorbed, and no other
	next   uint64                   // the batch to absorb next
	role   bool                     // a goroutine is the absorber
	unused []*invert.Batch
	closed bool
}

// orBackground returns ctx, or context.Background() if it is nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// failure returns why the pipeline has ended, or nil.
func (p *pipeline) failure() error {
	if p.ctx == nil { // of the zero Writer
		return ErrClosed
	}
	if p.ctx.Err() == nil {
		return nil
	}
	return context.Cause(p.ctx)
}

func (p *pipeline) start(w *Writer) {
	p.w = w
	p.seed = invert.NewSeed()
	p.total = w.opts.batches()
	p.gate = make(chan struct{}, 1)
	p.slots = make(chan struct{}, p.total)
	p.work = make(chan *invert.Batch, p.total)
	p.ready = make(map[uint64]*invert.Batch)
	p.cuts = make(map[uint64]int)
	p.cond.L = &p.mu
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	context.AfterFunc(p.ctx, p.wake)
	for range min(w.opts.Threads, p.total) {
		p.workers.Go(p.invert)
	}
}

// wake makes every goroutine that waits on cond check again.
func (p *pipeline) wake() {
	p.mu.Lock()
	p.cond.Broadcast()
	p.mu.Unlock()
}

// take acquires one element of c. It fails with the cause if ctx or the pipeline
// ends first.
func (p *pipeline) take(ctx context.Context, c chan struct{}) error {
	if err := p.failure(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c <- struct{}{}:
		return nil
	default:
	}
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return p.failure()
	}
}

// leave releases the gate.
func (p *pipeline) leave() { <-p.gate }

// put appends one document to the current batch. The caller holds the gate.
func (p *pipeline) put(ctx context.Context, d Doc) error {
	x := p.w.fields
	if err := p.room(ctx, x.SizeOf(d.ID, d.Values)); err != nil {
		return err
	}
	x.Add(p.cur, d.ID, d.Values)
	p.added()
	return nil
}

// del appends the deletion of a document to the current batch. The caller holds the gate.
func (p *pipeline) del(ctx context.Context, id []byte) error {
	if err := p.room(ctx, invert.SizeOfDelete(id)); err != nil {
		return err
	}
	p.cur.Delete(id)
	p.added()
	return nil
}

// room makes room for size bytes in the current batch. The caller holds the gate and, unless it fails, calls added.
func (p *pipeline) room(ctx context.Context, size int) error {
	usual := p.w.opts.batchBytes()
	if p.cur != nil && p.cur.Size()+size > usual {
		p.send()
	}
	if p.cur == nil {
		b, err := p.newBatch(ctx, min(1+(size-1)/usual, p.total))
		if err != nil {
			return err
		}
		p.cur = b
	}
	return nil
}

// added sends the current batch if it is full.
func (p *pipeline) added() {
	if p.cur.Size() >= p.w.opts.batchBytes() || p.cur.Full() {
		p.send()
	}
}

// newBatch returns an empty batch that holds n slots. The caller holds the gate,
// so no other goroutine waits for several.
func (p *pipeline) newBatch(ctx context.Context, n int) (*invert.Batch, error) {
	for i := range n {
		if err := p.take(ctx, p.slots); err != nil {
			for range i {
				<-p.slots
			}
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &invert.Batch{}
	if k := len(p.unused) - 1; k >= 0 {
		b = p.unused[k]
		p.unused = p.unused[:k]
	}
	b.Slots = n
	return b, nil
}

// freeBatches frees the memory of batches that are not in use.
func (p *pipeline) freeBatches() {
	p.mu.Lock()
	p.unused = nil
	p.mu.Unlock()
}

// send hands the current batch to the workers. The caller holds the gate.
func (p *pipeline) send() {
	if p.cur == nil {
		return
	}
	p.cur.Seq = p.seq
	p.seq++
	p.work <- p.cur // never blocks: work has room for every slot
	p.cur = nil
}

// invert is the loop of a worker.
func (p *pipeline) invert() {
	var v *invert.Inverter
	var of *invert.Fields
	for b := range p.work {
		if p.failure() != nil {
			continue
		}
		if v == nil || of != p.w.fields { // Evolve changes them, while no batch is anywhere
			v, of = evolving{p.w}.newInverter(), p.w.fields
		}
		v.Invert(b)
		p.mu.Lock()
		p.ready[b.Seq] = b
		p.cond.Broadcast()
		taken := !p.role
		p.role = true
		p.mu.Unlock()
		if taken {
			p.release()
		}
	}
}

// release absorbs all batches that are next in order, up to a call of exclusive that waits, and gives up the absorber
// role, which the caller holds.
func (p *pipeline) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		b := p.ready[p.next]
		if b == nil || p.cuts[p.next] > 0 || p.ctx.Err() != nil {
			p.role = false
			p.cond.Broadcast()
			return
		}
		delete(p.ready, p.next)
		p.mu.Unlock()
		err := flushing{p.w}.absorb(p.ctx, b)
		for range b.Slots {
			<-p.slots
		}
		b.Reset(p.w.opts.batchBytes())
		if err != nil {
			p.cancel(err)
		}
		p.mu.Lock()
		p.next++
		p.unused = append(p.unused, b)
	}
}

// absorb adds b to the accumulator and writes the accumulator when it is large. The
// caller is the absorber.
func (w flushing) absorb(ctx context.Context, b *invert.Batch) error {
	w.refuse(b.Bad)
	if w.acc.Full(b) {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	w.bare.Add(uint64(b.Bare))
	w.acc.Absorb(b)
	if int64(w.acc.Bytes()) >= w.opts.accumBytes() {
		return w.flush(ctx)
	}
	return nil
}

// refuse tells of documents that are not added. The caller is the absorber, as that of refused is.
func (w flushing) refuse(bad []invert.Bad) {
	for _, b := range bad {
		err := fmt.Errorf("%w %s: %w", ErrDocument, quote(b.ID), b.Err)
		if w.opts.Refused != nil {
			w.opts.Refused(b.ID, err)
			continue
		}
		w.bad = errors.Join(w.bad, err)
	}
}

// refused returns the errors of documents that nobody was told of, once.
func (w *Writer) refused() error {
	err := w.bad
	w.bad = nil
	return err
}

// exclusive calls f as the absorber, after all documents that entered before this call have been absorbed, and no others: all
// that one caller has brought in without releasing the gate is absorbed, or nothing of it. An error of f ends the pipeline
// unless it comes from ctx or a document.
func (p *pipeline) exclusive(ctx context.Context, f func() error) error {
	if err := p.take(ctx, p.gate); err != nil {
		return err
	}
	until := p.cut()
	p.leave()
	return p.alone(ctx, until, f)
}

// cut sends the current batch, and returns the next one. No batch is absorbed from that on until alone has been called for it. The
// caller holds the gate.
func (p *pipeline) cut() (until uint64) {
	p.send()
	p.mu.Lock()
	p.cuts[p.seq]++
	p.mu.Unlock()
	return p.seq
}

// alone calls f as the absorber when the batches before until, which cut returned, have been absorbed, as exclusive does.
func (p *pipeline) alone(ctx context.Context, until uint64, f func() error) error {
	err := p.enter(ctx, until)
	p.mu.Lock()
	if p.cuts[until]--; p.cuts[until] == 0 {
		delete(p.cuts, until)
	}
	goOn := err != nil && !p.role && p.next == until // with what has waited behind the cut
	p.role = p.role || goOn
	p.mu.Unlock()
	if goOn {
		p.release()
	}
	if err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned { // code of the Writer's user panicked or ended the goroutine: Close must not wait for it
			p.cancel(errPanic)
		}
		p.release()
	}()
	err = f()
	returned = true
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrDocument) {
		p.cancel(err)
	}
	return err
}

// errPanic ends a pipeline within exclusive.
var errPanic = errors.New("writer: a call panicked")

// enter takes the absorber role when the batches before batch until have been absorbed.
func (p *pipeline) enter(ctx context.Context, until uint64) error {
	stop := context.AfterFunc(ctx, p.wake)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for (p.role || p.next < until) && ctx.Err() == nil && p.ctx.Err() == nil {
		p.cond.Wait()
	}
	if err := p.failure(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.role = true
	return nil
}

// between calls f as the absorber, between two batches, also after the pipeline has
// ended. It does not change which documents a batch holds. An error of f ends the
// pipeline.
func (p *pipeline) between(f func() error) {
	p.mu.Lock()
	for p.role {
		p.cond.Wait()
	}
	p.role = true
	p.mu.Unlock()
	if err := f(); err != nil {
		p.cancel(err)
	}
	p.release()
}

// close ends the pipeline and waits for its goroutines and for the absorber. It
// returns false if it was closed before.
func (p *pipeline) close() bool {
	if p.ctx == nil {
		return false
	}
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	if !first {
		return false
	}
	p.cancel(ErrClosed)
	p.gate <- struct{}{} // never released: no more documents enter
	close(p.work)
	p.workers.Wait()
	p.mu.Lock()
	for p.role {
		p.cond.Wait()
	}
	p.mu.Unlock()
	return true
}

// absorbed returns the batch that is absorbed next.
func (p *pipeline) absorbed() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next
}

// free frees the memory of a pipeline that close has ended, after the last call of between.
func (p *pipeline) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cur, p.ready, p.unused = nil, nil, nil // close keeps the gate
	p.pool.Free()
}
