package writer

import (
	"context"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

// Backup copies the newest commit of the index source to out, which must be empty, or a local directory that does not exist. Files of
// one local file system are linked. Others, in any process, may read and write the index meanwhile. The copy is durable
// when Backup returns, and after an error nothing is left of it. Backup does not read what it links.
func Backup(ctx context.Context, out store.FS, source store.ReadFS) error {
	d, err := indexdir.OpenFS(source)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.Backup(orBackground(ctx), out, indexdir.BackupOptions{})
	return err
}
