package search

import "slices"

// Fusing says what places in ranked lists are worth: format/FORMAT.md, section 8.5.
type Fusing struct {
	ByScores bool    // normalized scores; otherwise reciprocal ranks
	Constant float64 // is added to each rank
}

// RankedList is one of the lists that Fuse makes one of.
type RankedList struct {
	Hits   []Hit // the best first; no document comes twice
	Weight float64
}

// Share is what one list gives a document.
type Share struct {
	Rank  int     // from 1; 0 of a document that the list does not have
	Score float32 // that it has there
	Added float32 // to the score of the document
}

// share returns what a list gives the hit of a number.
func (f Fusing) share(l *RankedList, i int) Share {
	s := Share{Rank: i + 1, Score: l.Hits[i].Score}
	if !f.ByScores {
		s.Added = float32(l.Weight / float64(f.Constant+float64(s.Rank)))
		return s
	}
	least, greatest := float64(l.Hits[len(l.Hits)-1].Score), float64(l.Hits[0].Score)
	part := 1.0
	if greatest > least {
		part = float64(float64(s.Score)-least) / float64(greatest-least)
	}
	s.Added = float32(float64(l.Weight * part))
	return s
}

// Fuse returns each document of some lists once, with the sum of what the lists give it in their order, the greatest first. Equal
// ones are in the order of docIDs.
func (f Fusing) Fuse(lists []RankedList) []Hit {
	most := 0
	for i := range lists {
		most += len(lists[i].Hits)
	}
	hits, at := make([]Hit, 0, most), make(map[uint32]int, most)
	for i := range lists {
		for k, h := range lists[i].Hits {
			n, ok := at[h.Doc]
			if !ok {
				n = len(hits)
				at[h.Doc], hits = n, append(hits, Hit{Doc: h.Doc})
			}
			hits[n].Score = float32(hits[n].Score + f.share(&lists[i], k).Added)
		}
	}
	slices.SortFunc(hits, compareHits)
	return hits
}

// Shares returns what each list gives each of some documents: of document i what list j gives is at i*len(lists)+j.
func (f Fusing) Shares(lists []RankedList, docs []uint32) []Share {
	at := make(map[uint32]int, len(docs))
	for i, doc := range docs {
		at[doc] = i
	}
	all := make([]Share, len(docs)*len(lists))
	for j := range lists {
		for k, h := range lists[j].Hits {
			if i, ok := at[h.Doc]; ok {
				all[i*len(lists)+j] = f.share(&lists[j], k)
			}
		}
	}
	return all
}
