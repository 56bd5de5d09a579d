package main

import "fmt"

// docsRun returns the entry that decodes full blocks in a row, as docsBlock does one:
// what holds for all of them is checked once, what holds for a block between blocks.
// It returns how many it decoded; the one after them is not one that is safe to
// decode so. The docID before a block comes from the skip header, so that no block
// waits for the sum of the one before.
func docsRun(t tier, runs int) string {
	again := ""
	if runs == 2 {
		again = `	LEAQ (AX)(DX*2), AX
	ADDQ $512, CX
	CALL BX
`
	}
	far, fetch := fetchAhead(runs)
	return expand(`
// func docsRun{SIZE}{TIER}(dst *uint32, s *codec.Sequence, block, count int) int
TEXT ·docsRun{SIZE}{TIER}(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), CX
	MOVQ s+8(FP), SI
	MOVQ block+16(FP), DI
	MOVQ count+24(FP), R12
	XORL R14, R14

	// Endpoints, last docIDs and values of all blocks are there.
	LEAQ (DI)(R12*1), R10
	CMPQ R10, 32(SI)
	JCC  stop
	CMPQ R10, 56(SI)
	JHI  stop
	SHLQ ${LOGLEN}, R10
	CMPQ R10, 72(SI)
	JGT  stop

	// Words below R10 lie in the payload, with 32 readable bytes behind.
	MOVQ 16(SI), R10
	SUBQ $32, R10
	JCS  stop
	CMPQ R10, 8(SI)
	CMOVQHI 8(SI), R10
	SHRQ $2, R10
	MOVQ 24(SI), R8
	LEAQ (R8)(DI*4), R8
	MOVQ 48(SI), R9
	LEAQ (R9)(DI*4), R9
	MOVQ (SI), SI
	MOVL (R8), R11

	// The docID before.
	MOVL $-1, DX
	TESTQ DI, DI
	JEQ  first
	MOVL -4(R9), DX
first:
	VMOVD DX, X10
	VPBROADCASTD X10, Y10
	INCL DX
	JMI  stop
	LEAQ docsTable<>(SB), DI
{FAR}
next:
	// Words R11 up to the new R11, DX of them, leave the sum no way to wrap.
	LEAQ (SI)(R11*4), AX
	MOVQ R11, BX
	MOVL 4(R8)(R14*4), R11
	CMPQ R11, R10
	JHI  stop
	MOVQ R11, DX
	SUBQ BX, DX
	TESTQ ${WHOLE}, DX
	JNE  stop
	CMPQ DX, ${WIDEST}
	JHI  stop
	MOVQ (DI)(DX*{PERWORD}), BX
	MOVL (R9)(R14*4), R13
{FETCH}	CALL BX
{AGAIN}	VMOVD X10, AX
	CMPL AX, R13
	JNE  stop
	TESTL AX, AX
	JMI  stop
	VPBROADCASTD (R9)(R14*4), Y10
	ADDQ $512, CX
	INCQ R14
	CMPQ R14, R12
	JNE  next

stop:
	VZEROUPPER
	MOVQ R14, ret+32(FP)
	RET
`, "SIZE", fmt.Sprint(128*runs), "TIER", t.String(), "AGAIN", again, "FAR", far, "FETCH", fetch, "LOGLEN", fmt.Sprint(6+runs),
		"WHOLE", fmt.Sprint(4*runs-1), "WIDEST", fmt.Sprint(4*runs*noWrap(runs)), "PERWORD", fmt.Sprint(2/runs))
}

// freqsRun is docsRun for frequencies.
func freqsRun(runs int) string {
	again := ""
	if runs == 2 {
		again = `	LEAQ (AX)(DX*2), AX
	ADDQ $512, CX
	CALL BX
`
	}
	far, fetch := fetchAhead(runs)
	return expand(`
// func freqsRun{SIZE}AVX2(dst *uint32, s *codec.Sequence, block, count int) int
TEXT ·freqsRun{SIZE}AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), CX
	MOVQ s+8(FP), SI
	MOVQ block+16(FP), DI
	MOVQ count+24(FP), R12
	XORL R14, R14

	// Endpoints and values of all blocks are there.
	LEAQ (DI)(R12*1), R10
	CMPQ R10, 32(SI)
	JCC  stop
	SHLQ ${LOGLEN}, R10
	CMPQ R10, 72(SI)
	JGT  stop

	// Words below R10 lie in the payload, with 32 readable bytes behind.
	MOVQ 16(SI), R10
	SUBQ $32, R10
	JCS  stop
	CMPQ R10, 8(SI)
	CMOVQHI 8(SI), R10
	SHRQ $2, R10
	MOVQ 24(SI), R8
	LEAQ (R8)(DI*4), R8
	MOVQ (SI), SI
	MOVL (R8), R11
	LEAQ freqsTable<>(SB), DI
{FAR}
next:
	// Words R11 up to the new R11, DX of them.
	LEAQ (SI)(R11*4), AX
	MOVQ R11, BX
	MOVL 4(R8)(R14*4), R11
	CMPQ R11, R10
	JHI  stop
	MOVQ R11, DX
	SUBQ BX, DX
	TESTQ ${WHOLE}, DX
	JNE  stop
	CMPQ DX, ${WIDEST}
	JHI  stop
	MOVQ (DI)(DX*{PERWORD}), BX
{FETCH}	CALL BX
{AGAIN}	ADDQ $512, CX
	INCQ R14
	CMPQ R14, R12
	JNE  next

stop:
	VZEROUPPER
	MOVQ R14, ret+32(FP)
	RET
`, "SIZE", fmt.Sprint(128*runs), "AGAIN", again, "FAR", far, "FETCH", fetch, "LOGLEN", fmt.Sprint(6+runs),
		"WHOLE", fmt.Sprint(4*runs-1), "WIDEST", fmt.Sprint(4*runs*31), "PERWORD", fmt.Sprint(2/runs))
}

// fetchAhead returns what goes before the loop of a run and into it so that lines are asked for
// that a block some way ahead is written to and read from, as prefetch does in packRun512.
func fetchAhead(runs int) (far, fetch string) {
	far = expand(`
	// Blocks before R15 ask for lines of a block ahead.
	XORL R15, R15
	CMPQ R12, ${FROM}
	JLS  next
	LEAQ -{BLOCKS}(R12), R15
`, "FROM", fmt.Sprint(fetchFrom), "BLOCKS", fmt.Sprint(fetchDistance/512/runs))
	fetch = "\tCMPQ R14, R15\n\tJCC  near\n"
	for line := range 8 * runs {
		// PREFETCHW disp(CX)
		fetch += fmt.Sprintf("\tBYTE $0x0f; BYTE $0x0d; BYTE $0x89; LONG $%d\n", fetchDistance+64*line)
	}
	for line := range 3 * runs {
		fetch += fmt.Sprintf("\tPREFETCHT0 %d(AX)\n", fetchDistance/2+64*line)
	}
	return far, fetch + "near:\n"
}
