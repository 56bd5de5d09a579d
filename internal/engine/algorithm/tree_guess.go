package algorithm

// guess raises the threshold to what the k-th impacts of lists prove, and, unless thresholds must be proven, to what they
// make likely: enough of the documents that reach it have what else must match, if that is as frequent among them as
// elsewhere.
func (t *tree) guess() {
	r := t.run
	if r.after != NoHit {
		return
	}
	share := 1.0
	if r.filter.some() {
		share = float64(r.filter.docs) / float64(r.Part.Seg.Docs())
	}
	t.guessBy(t.root, share, true)
}

// guessBy is guess by the leaves of n, share of whose matches are hits; all of them if all, where nothing is filtered.
func (t *tree) guessBy(n *node, share float64, all bool) {
	switch n.op {
	case OpWord:
		t.guessByLeaf(n, share, all)
	case OpBest:
		for _, k := range n.should {
			t.guessBy(k, share, all)
		}
	case OpBool:
		t.guessByAll(n, share, all)
	}
}

// guessByLeaf is guessBy for a leaf.
func (t *tree) guessByLeaf(n *node, share float64, all bool) {
	l, r := n.list, t.run
	if l.Small {
		return
	}
	for i, reach := range l.Reach {
		tf, dl, ok := l.List().Kth[i].Pair()
		proven := all && thresholds{r}.proven(int(reach))
		likely := !r.Sure && r.Top.Shared == nil && 2*float64(reach)*share >= float64(r.Top.K)
		if !ok || !proven && !likely {
			continue
		}
		theta := l.In.Scorer.Score(l.Weight, float32(tf), l.In.Scorer.Norm(dl))
		if theta > r.Top.Theta && !proven {
			r.Guess = theta
		}
		r.Top.Raise(theta)
		return
	}
}

// guessByAll is guessBy for a Bool.
func (t *tree) guessByAll(n *node, share float64, every bool) {
	every = every && len(n.nots)+len(n.filter) == 0
	for _, k := range n.filter {
		share *= t.portion(k)
	}
	for _, k := range n.nots {
		share *= 1 - t.portion(k)
	}
	must := share * t.several(n.should, n.atLeast, nil)
	all := 1.0
	for _, k := range n.must {
		all *= t.portion(k)
	}
	for _, k := range n.must {
		if k.scores {
			t.guessBy(k, must*all/t.portion(k), every && len(n.must) == 1 && n.atLeast == 0)
		}
	}
	for _, k := range n.should {
		if k.scores {
			t.guessBy(k, share*all*t.several(n.should, n.atLeast-1, k), every && len(n.must) == 0 && n.atLeast <= 1)
		}
	}
}

// portion returns the share of the segment's documents that n matches at most, above 0, as if its nodes matched
// independently of one another.
func (t *tree) portion(n *node) float64 {
	return min(1, (float64(n.cost)+0.5)/float64(t.run.Part.Seg.Docs()))
}

// several returns the share of the documents that at least so many of nodes other than one match.
func (t *tree) several(nodes []*node, least int, but *node) float64 {
	if least <= 0 {
		return 1
	}
	exactly := make([]float64, least) // by how many match
	exactly[0] = 1
	for _, k := range nodes {
		if k == but {
			continue
		}
		p := t.portion(k)
		for i := least - 1; i > 0; i-- {
			exactly[i] += p * (exactly[i-1] - exactly[i])
		}
		exactly[0] *= 1 - p
	}
	rest := 1.0
	for _, p := range exactly {
		rest -= p
	}
	return max(rest, 0)
}
