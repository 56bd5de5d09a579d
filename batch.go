package pinion

import (
	"context"
	"unicode/utf8"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Batch collects changes that Index.Apply makes as one, in the order in which they were collected. The zero value is empty. It is
// not safe for concurrent use.
type Batch struct {
	changes []change
	meta    map[string]string
}

// Add collects documents to add. They must not be modified before Apply has returned.
func (b *Batch) Add(docs ...Doc) {
	for _, d := range docs {
		b.changes = append(b.changes, change{doc: d})
	}
}

// Delete collects ids of documents to delete. It is no error if there are none.
func (b *Batch) Delete(ids ...string) {
	for _, id := range ids {
		b.changes = append(b.changes, change{doc: Doc{ID: id}, deletes: true})
	}
}

// Set collects a change of what the document with an id has in a field: value from now on, and nothing else of the document changes. If there is
// no such document, nothing is done, and it is no error. The value is one of Go that fits the field's kind as Doc.Fields has it, or a
// slice of several, which are a set then; nil removes what the document has. The field is a column of numbers or times that
// is not indexed, and not the order's: changes of others are refused as documents are. A hit shows what was set, in the
// field's unit.
func (b *Batch) Set(id, field string, value any) {
	b.changes = append(b.changes, change{doc: Doc{ID: id, Fields: map[string]any{field: value}}, sets: true, field: field})
}

// SetMeta keeps a value for a key of the program with the index, such as how far the index has come in step with a table:
// Index.Meta returns it. It becomes durable with the other changes of b, or not at all. An empty value removes the key. Keys have 1 to
// 255 bytes, and all keys and values of an index together up to 64 KiB.
func (b *Batch) SetMeta(key, value string) {
	if b.meta == nil {
		b.meta = make(map[string]string)
	}
	b.meta[key] = value
}

// Len returns how many documents, ids and changes of values b has collected.
func (b *Batch) Len() int { return len(b.changes) }

// Reset empties b for other changes.
func (b *Batch) Reset() {
	clear(b.changes)
	b.changes = b.changes[:0]
	clear(b.meta)
}

// Apply makes the changes of a batch, which it does not modify. They are one change: a search sees all of them or none, and a
// crash keeps all of them or none, however many they are. If a document cannot be added, a value cannot be set, or a key cannot be kept, nothing is done,
// and the error has a *writer.ChangeError for each such document, which matches writer.ErrDocument. Apply waits for other changes
// to end, and for memory, but no longer than ctx before it begins. While a large batch is written, nothing else can be, and
// what was written before it becomes visible and durable after it. After any other error but that of ctx and one that matches
// ErrEmbed nothing can be written any more: what is not durable is lost with the Index, which is to be opened again.
func (x *Index) Apply(ctx context.Context, b *Batch) error {
	if b == nil {
		return ErrInvalid
	}
	return x.apply(ctx, b.changes, b.meta)
}

func (x *Index) apply(ctx context.Context, made []change, meta map[string]string) error {
	if x.done == nil {
		return errClosed
	}
	changes, err := x.embeddedChanges(orBackground(ctx), made)
	if err != nil {
		return err
	}
	return x.write(ctx, func(ctx context.Context) error {
		err := x.w.Apply(ctx, changes, meta)
		if err == nil {
			x.notUTF8.Add(notUTF8(changes))
		}
		return err
	})
}

// embeddedChanges returns changes as the writer takes them, with the vectors of texts.
func (x *Index) embeddedChanges(ctx context.Context, made []change) ([]writer.Change, error) {
	for {
		s := x.schema.Load()
		changes, err := x.changes(s, made)
		if err != nil || len(x.embeds) == 0 {
			return changes, err
		}
		if err := x.failure(); err != nil {
			return nil, err
		}
		for _, e := range x.embeds {
			if err := e.addTo(ctx, s, changes, func(err error) { x.report(EventEmbed, 0, err) }); err != nil {
				return nil, err
			}
		}
		if x.schema.Load() == s { // fields may have other numbers otherwise; the vectors are in the cache
			return changes, nil
		}
	}
}

// notUTF8 returns how many of the documents have text or a keyword that is not UTF-8.
func notUTF8(changes []writer.Change) (n uint64) {
	for i := range changes {
		for _, v := range changes[i].Doc.Values {
			if (v.Kind == schema.Text || v.Kind == schema.Keyword) && !utf8.Valid(v.Bytes()) {
				n++
				break
			}
		}
	}
	return n
}

// Meta returns the value of a key that Batch.SetMeta has set, or "" if there is none. It is that of the last call of Apply that has
// returned, whether that is durable yet or not.
func (x *Index) Meta(key string) (value string, ok bool) {
	if x.w == nil {
		return "", false
	}
	return x.w.Meta(key)
}

// Meta returns the value of a key that Batch.SetMeta has set, as the newest commit that was seen has it.
func (x *Reader) Meta(key string) (value string, ok bool) {
	s := x.hold()
	if s == nil {
		return "", false
	}
	defer s.release()
	return s.snapshot.Meta(key)
}
