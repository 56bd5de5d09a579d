package writer

// What a Writer does, by matter: each is a Writer with the methods of one of them.
type (
	changing   struct{ *Writer } // changes of documents, and which documents a node means
	flushing   struct{ *Writer } // what is inverted becomes segments, and these the index's
	merging    struct{ *Writer } // segments become one
	scheduling struct{ *Writer } // merges in the background: which, and what becomes of them
	ordering   struct{ *Writer } // documents get another order
	importing  struct{ *Writer } // segments of other indexes, and lists that are inverted already
	evolving   struct{ *Writer } // the schema, and what follows from it
)
