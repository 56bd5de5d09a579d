package writer

// SetBatch sets the size of a batch.
func (o *Options) SetBatch(size int) { o.batchSize = size }
