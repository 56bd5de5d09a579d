package writer

import "github.com/pinion-index/pinion/internal/codec/choose"

// SetBatch sets the size of a batch.
func (o *Options) SetBatch(size int) { o.batchSize = size }

// SetLarge makes documents over size be inverted in pieces of some bytes.
func (o *Options) SetLarge(size, piece int) { o.large, o.piece = size, piece }

// SetChoose sets what chooses the codec of each list.
func (o *Options) SetChoose(p choose.Policy) { o.choose = p }
