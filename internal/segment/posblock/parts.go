package posblock

import "fmt"

// Part is a part of a block, for people to read.
type Part struct {
	Name  string
	Size  int
	Value string
}

// Parts returns the parts of a block, as far as it is well-formed.
func Parts(b []byte) (parts []Part) {
	for at := 0; len(b) > 0; at += PieceLen {
		p, rest, ok := Next(b)
		if !ok {
			return append(parts, Part{"gaps", len(b), "MALFORMED"})
		}
		gaps := "128 gaps"
		if p.partial {
			gaps = "the rest"
		}
		head := fmt.Sprintf("%s, %d bits each", gaps, p.width)
		if p.high > 0 {
			head += fmt.Sprintf("; exceptions have %d bits more", p.high)
		}
		for _, x := range []Part{{fmt.Sprintf("gaps from %d", at), headSize, head}, {"  exceptions", len(p.indexes), fmt.Sprint(p.indexes)},
			{"  high bits", len(p.highs), ""}, {"  low bits", len(p.values), ""}} {
			if x.Size > 0 {
				parts = append(parts, x)
			}
		}
		b = rest
	}
	return parts
}
