package main

import (
	"fmt"
	"strings"
)

// The entries are what Go calls: they load the registers of the functions of a
// width and call the one that a table has for it. go vet checks them against the
// declarations in bitpack's kernels_amd64.go.

// table returns the data of a table of the functions of widths 0 to 32.
func table(name, function string) string {
	var b strings.Builder
	for width := range 33 {
		fmt.Fprintf(&b, "DATA %s<>+%d(SB)/8, $%s%d<>(SB)\n", name, 8*width, function, width)
	}
	fmt.Fprintf(&b, "GLOBL %s<>(SB), RODATA, $%d\n\n", name, 8*33)
	return b.String()
}

// docsEntries returns the entries of a tier's docID unpackers.
func docsEntries(t tier) string {
	return "\n" + table("docsTable", "docs"+t.String()+"Width") + expand(`
// func docs{TIER}(dst *uint32, src *byte, width uint, prev uint32)
TEXT ·docs{TIER}(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), CX
	MOVQ src+8(FP), AX
	MOVQ width+16(FP), DX
	LEAQ prev+24(FP), BX
	VPBROADCASTD (BX), Y10
	LEAQ docsTable<>(SB), BX
	MOVQ (BX)(DX*8), BX
	CALL BX
	VZEROUPPER
	RET
`, "TIER", t.String()) + docsBlock(t, 1) + docsBlock(t, 2) + docsRun(t, 1) + docsRun(t, 2)
}

// The block entries decode a full block as its codec would, from a
// codec.Sequence, or find that it is not one that is safe to decode so: short, too
// wide for its sum not to wrap, or impossible. Offsets in a Sequence are checked
// by the declarations' file.
const locate = `
	MOVQ dst+0(FP), CX
	MOVQ s+8(FP), SI
	MOVQ block+16(FP), DI

	// The endpoints: words R11 up to R12, DX of them.
	MOVQ 24(SI), R9
	LEAQ 1(DI), R10
	CMPQ R10, 32(SI)
	JCC  no
	MOVL (R9)(DI*4), R11
	MOVL 4(R9)(DI*4), R12
	MOVQ R12, DX
	SUBQ R11, DX
	TESTQ ${WHOLE}, DX
	JNE  no
	CMPQ DX, ${WIDEST}
	JHI  no

	// They lie in the payload, with 32 readable bytes behind.
	SHLQ $2, R12
	CMPQ R12, 8(SI)
	JHI  no
	ADDQ $32, R12
	CMPQ R12, 16(SI)
	JHI  no

	// All values of the block are there.
	SHLQ ${LOGLEN}, R10
	CMPQ R10, 72(SI)
	JGT  no
	MOVQ (SI), AX
	LEAQ (AX)(R11*4), AX
	SHRQ ${LOGWORDS}, DX
`

const next = `	SHLQ $4, DX
	ADDQ DX, AX
	ADDQ $512, CX
	CALL BX
`

const yes = `	MOVB $1, ret+24(FP)
	RET

no:
	MOVB $0, ret+24(FP)
	RET
`

// noWrap is the widest gap, in bits, of which runs times 128 cannot sum to more than 2^31.
func noWrap(runs int) int { return 25 - runs }

func docsBlock(t tier, runs int) string {
	return block(fmt.Sprintf("docsBlock%d%s", 128*runs, t), runs, noWrap(runs), `
	// The docID before, BX, and the last, R13, leave the sum no way to wrap.
	CMPQ DI, 56(SI)
	JCC  no
	MOVQ 48(SI), R9
	MOVL $-1, BX
	TESTQ DI, DI
	JEQ  first
	MOVL -4(R9)(DI*4), BX
first:
	MOVL (R9)(DI*4), R13
	MOVL BX, R10
	INCL R10
	JMI  no
	VMOVD BX, X10
	VPBROADCASTD X10, Y10
	LEAQ docsTable<>(SB), BX
	MOVQ (BX)(DX*8), BX
	CALL BX
{NEXT}	VMOVD X10, AX
	VZEROUPPER
	CMPL AX, R13
	JNE  no
	TESTL AX, AX
	JMI  no
{YES}`)
}

// block returns a block entry for runs of 128 values each of at most widest bits.
func block(name string, runs, widest int, body string) string {
	again := ""
	if runs == 2 {
		again = next
	}
	return expand(`
// func {NAME}(dst *uint32, s *codec.Sequence, block int) bool
TEXT ·{NAME}(SB), NOSPLIT, $0-25`+locate+body,
		"NAME", name, "NEXT", again, "YES", yes,
		"WHOLE", fmt.Sprint(4*runs-1), "WIDEST", fmt.Sprint(4*runs*widest),
		"LOGLEN", fmt.Sprint(6+runs), "LOGWORDS", fmt.Sprint(1+runs))
}

// plainEntries returns the entries of the plain and frequency unpackers.
func plainEntries() string {
	text := "\n"
	for _, name := range []string{"plain", "freqs"} {
		text += table(name+"Table", name+"AVX2Width") + expand(`
// func {NAME}AVX2(dst *uint32, src *byte, width uint)
TEXT ·{NAME}AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), CX
	MOVQ src+8(FP), AX
	MOVQ width+16(FP), DX
	LEAQ {NAME}Table<>(SB), BX
	MOVQ (BX)(DX*8), BX
	CALL BX
	VZEROUPPER
	RET
`, "NAME", name)
	}
	for runs := 1; runs <= 2; runs++ {
		text += block(fmt.Sprintf("freqsBlock%dAVX2", 128*runs), runs, 31, `
	LEAQ freqsTable<>(SB), BX
	MOVQ (BX)(DX*8), BX
	CALL BX
{NEXT}	VZEROUPPER
{YES}`) + freqsRun(runs)
	}
	return text
}

// packEntries returns the entry of the packers.
func packEntries() string {
	return "\n" + table("packTable", "packAVX2Width") + `
// func packAVX2(dst *byte, src *uint32, width uint)
TEXT ·packAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), CX
	MOVQ src+8(FP), AX
	MOVQ width+16(FP), DX
	LEAQ packTable<>(SB), BX
	MOVQ (BX)(DX*8), BX
	CALL BX
	RET
`
}

// expand replaces {KEY} by what follows it among pairs, first things first.
func expand(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "{"+pairs[i]+"}", pairs[i+1])
	}
	return text
}
