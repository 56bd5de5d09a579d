//go:build paper

package kernels

import "embed"

//go:embed paper/code/*.gz
var paperCode embed.FS

// The kernels that only experiments launch, in folder paper.
const (
	PaperBS Kernel = Count + iota // a thread block per tile of PaperSearchTile docIDs
	PaperIS
	PaperLR
	PaperLRLocal
	PaperHS
	PaperHSLRC

	papersEnd
)

var papers = []entry{
	PaperBS - Count:      {name: "paper_bs", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperIS - Count:      {name: "paper_is", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperLR - Count:      {name: "paper_lr", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperLRLocal - Count: {name: "paper_lr_local", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperHS - Count:      {name: "paper_hs", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperHSLRC - Count:   {name: "paper_hs_lrc", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
}
