//go:build amd64 && !purego

#include "textflag.h"

// The functions of widths in zdocs_avx2_amd64.s and unpackWidth below take the block in AX,
// the output in CX and its end in R13, a multiple of 512 bytes on, and move AX and CX on.

// Prefix sums need these; see scan.go of internal/asmgen.
DATA second<>+0(SB)/8, $0x8080808080808080
DATA second<>+8(SB)/8, $0x0706050407060504
GLOBL second<>(SB), RODATA|NOPTR, $16
DATA tops<>+0(SB)/8, $0x0000000700000003
GLOBL tops<>(SB), RODATA|NOPTR, $8

// func docsAVX2(dst *uint32, src *byte, width uint, prev uint32)
TEXT ·docsAVX2(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), CX
	MOVQ src+8(FP), AX
	MOVQ width+16(FP), BX
	LEAQ prev+24(FP), DX
	VPBROADCASTD (DX), Y10
	VPBROADCASTD tops<>+0(SB), Y11
	VBROADCASTI128 second<>+0(SB), Y12
	VPBROADCASTD tops<>+4(SB), Y13
	VPCMPEQD Y14, Y14, Y14
	LEAQ 512(CX), R13
	LEAQ ·docsWidths(SB), DX
	MOVQ (DX)(BX*8), BX
	CALL BX
	VZEROUPPER
	RET

// func docsRunAVX2(dst *uint32, s *codec.Sequence, block, count, size int) int
TEXT ·docsRunAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), CX
	MOVQ s+8(FP), SI
	MOVQ block+16(FP), DI
	MOVQ count+24(FP), R12
	MOVQ size+32(FP), R15

	// Endpoints, last docIDs and values of all blocks are there.
	LEAQ (DI)(R12*1), R10
	CMPQ R10, 32(SI)
	JCC  stop
	CMPQ R10, 56(SI)
	JHI  stop
	IMULQ R15, R10
	CMPQ R10, 72(SI)
	JGT  stop

	// Words below R10 lie in the payload, with 32 readable bytes behind.
	MOVQ 16(SI), R10
	SUBQ $32, R10
	JCS  stop
	CMPQ R10, 8(SI)
	CMOVQHI 8(SI), R10
	SHRQ $2, R10

	// The docID before, -1 before the first.
	MOVQ 48(SI), R9
	LEAQ (R9)(DI*4), R9
	MOVL $-1, DX
	TESTQ DI, DI
	JEQ  first
	MOVL -4(R9), DX
	TESTL DX, DX
	JMI  stop
first:
	VMOVD DX, X10
	VPBROADCASTD X10, Y10
	VPBROADCASTD tops<>+0(SB), Y11
	VBROADCASTI128 second<>+0(SB), Y12
	VPBROADCASTD tops<>+4(SB), Y13
	VPCMPEQD Y14, Y14, Y14

	// Words to bytes of docsWidths: times 2, or times 1 if values are 256.
	MOVQ R15, R14
	SHRQ $8, R14
	XORQ $1, R14
	SHLQ $2, R15
	MOVQ 24(SI), R8
	LEAQ (R8)(DI*4), R8
	MOVQ (SI), SI
	MOVL (R8), R11
	LEAQ ·docsWidths(SB), DI

next:
	// Words AX up to R11, of which the width follows.
	MOVQ R11, AX
	MOVL 4(R8), R11
	CMPQ R11, R10
	JHI  stop
	MOVQ R11, BX
	SUBQ AX, BX
	SHLXQ R14, BX, BX
	TESTQ $7, BX
	JNE  stop
	CMPQ BX, $(24*8)
	JHI  stop
	MOVQ (DI)(BX*1), BX
	LEAQ (SI)(AX*4), AX
	LEAQ (CX)(R15*1), R13
	CALL BX

	// The last docID, above the one before. 256 gaps of 24 bits sum to at most 2^32, so
	// that it has not wrapped.
	MOVL (R9), BX
	VMOVD X10, AX
	CMPL AX, BX
	JNE  stop
	CMPL BX, DX
	JLE  stop
	MOVL BX, DX
	VPBROADCASTD (R9), Y10
	ADDQ $4, R8
	ADDQ $4, R9
	DECQ R12
	JNE  next

stop:
	VZEROUPPER
	MOVQ count+24(FP), AX
	SUBQ R12, AX
	MOVQ AX, ret+40(FP)
	RET

// func unpackAVX2(dst *uint32, src *byte, width uint, plus uint32)
TEXT ·unpackAVX2(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), CX
	MOVQ src+8(FP), AX
	MOVQ width+16(FP), BX
	LEAQ plus+24(FP), DX
	VPBROADCASTD (DX), Y14
	MOVQ ·steps(SB), DI
	SHLQ $3, BX
	CALL unpackWidth<>(SB)
	VZEROUPPER
	RET

// func freqsRunAVX2(dst *uint32, s *codec.Sequence, block, count, size int) int
TEXT ·freqsRunAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), CX
	MOVQ s+8(FP), SI
	MOVQ block+16(FP), R8
	MOVQ count+24(FP), R12
	MOVQ size+32(FP), R14

	// Endpoints and values of all blocks are there.
	LEAQ (R8)(R12*1), R10
	CMPQ R10, 32(SI)
	JCC  stop
	IMULQ R14, R10
	CMPQ R10, 72(SI)
	JGT  stop

	// Words below R10 lie in the payload, with 32 readable bytes behind.
	MOVQ 16(SI), R10
	SUBQ $32, R10
	JCS  stop
	CMPQ R10, 8(SI)
	CMOVQHI 8(SI), R10
	SHRQ $2, R10

	// Words to eight times the width: times 2, or times 1 if values are 256.
	SHRQ $8, R14
	XORQ $1, R14
	MOVQ 24(SI), R9
	LEAQ (R9)(R8*4), R8
	MOVQ (SI), SI
	VPCMPEQD Y14, Y14, Y14
	VPSRLD $31, Y14, Y14
	MOVQ ·steps(SB), DI

next:
	// Words AX up to BX, of which the width follows. No value of 31 bits and one wraps.
	MOVL (R8), AX
	MOVL 4(R8), BX
	CMPQ BX, R10
	JHI  stop
	SUBQ AX, BX
	SHLXQ R14, BX, BX
	TESTQ $7, BX
	JNE  stop
	CMPQ BX, $(31*8)
	JHI  stop
	LEAQ (SI)(AX*4), AX
	CALL unpackWidth<>(SB)
	TESTQ R14, R14
	JNE  done
	CALL unpackWidth<>(SB)
done:
	ADDQ $4, R8
	DECQ R12
	JNE  next

stop:
	VZEROUPPER
	MOVQ count+24(FP), AX
	SUBQ R12, AX
	MOVQ AX, ret+40(FP)
	RET

// unpackWidth unpacks 128 values of BX/8 bits, adds Y14 to each, and moves AX and CX on; DI
// is the steps of width 0. It overwrites DX, R9, R11, R13 and vectors.
//
// A step takes 32 bits of each lane from two rows on, one in each half of a register: what
// a vector has, and what the next has. They are 4 rows each if these fit, or 2, or 1.
TEXT unpackWidth<>(SB), NOSPLIT, $0
	IMUL3Q $(1088/8), BX, DX
	ADDQ DI, DX
	VPBROADCASTD 1024(DX), Y15 // the bits of a value
	VPBROADCASTD 1028(DX), Y12 // width
	VPBROADCASTD 1032(DX), Y13 // 32
	LEAQ 256(DX), R13
	CMPQ BX, $(8*8)
	JHI  two

four:
	MOVL 32(DX), R9
	MOVL 36(DX), R11
	VMOVDQU (DX), Y2
	VMOVDQU (AX)(R9*1), X0
	VMOVDQU 16(AX)(R9*1), X1
	VINSERTI128 $1, (AX)(R11*1), Y0, Y0
	VINSERTI128 $1, 16(AX)(R11*1), Y1, Y1
	VPSRLVD Y2, Y0, Y0
	VPSUBD Y2, Y13, Y2
	VPSLLVD Y2, Y1, Y1
	VPOR Y1, Y0, Y0
	VPSRLVD Y12, Y0, Y1
	VPSRLVD Y12, Y1, Y2
	VPSRLVD Y12, Y2, Y3
	VPAND Y15, Y0, Y0
	VPAND Y15, Y1, Y1
	VPAND Y15, Y2, Y2
	VPAND Y15, Y3, Y3
	VPADDD Y14, Y0, Y0
	VPADDD Y14, Y1, Y1
	VPADDD Y14, Y2, Y2
	VPADDD Y14, Y3, Y3
	VMOVDQU X0, (CX)
	VMOVDQU X1, 16(CX)
	VMOVDQU X2, 32(CX)
	VMOVDQU X3, 48(CX)
	VEXTRACTI128 $1, Y0, 64(CX)
	VEXTRACTI128 $1, Y1, 80(CX)
	VEXTRACTI128 $1, Y2, 96(CX)
	VEXTRACTI128 $1, Y3, 112(CX)
	ADDQ $64, DX
	ADDQ $128, CX
	CMPQ DX, R13
	JNE  four
	LEAQ (AX)(BX*2), AX
	RET

two:
	ADDQ $256, R13
	CMPQ BX, $(16*8)
	JHI  one

pair:
	MOVL 32(DX), R9
	MOVL 36(DX), R11
	VMOVDQU (DX), Y2
	VMOVDQU (AX)(R9*1), X0
	VMOVDQU 16(AX)(R9*1), X1
	VINSERTI128 $1, (AX)(R11*1), Y0, Y0
	VINSERTI128 $1, 16(AX)(R11*1), Y1, Y1
	VPSRLVD Y2, Y0, Y0
	VPSUBD Y2, Y13, Y2
	VPSLLVD Y2, Y1, Y1
	VPOR Y1, Y0, Y0
	VPSRLVD Y12, Y0, Y1
	VPAND Y15, Y0, Y0
	VPAND Y15, Y1, Y1
	VPADDD Y14, Y0, Y0
	VPADDD Y14, Y1, Y1
	VMOVDQU X0, (CX)
	VMOVDQU X1, 16(CX)
	VEXTRACTI128 $1, Y0, 32(CX)
	VEXTRACTI128 $1, Y1, 48(CX)
	ADDQ $64, DX
	ADDQ $64, CX
	CMPQ DX, R13
	JNE  pair
	LEAQ (AX)(BX*2), AX
	RET

one:
	ADDQ $512, R13

single:
	MOVL 32(DX), R9
	MOVL 36(DX), R11
	VMOVDQU (DX), Y2
	VMOVDQU (AX)(R9*1), X0
	VMOVDQU 16(AX)(R9*1), X1
	VINSERTI128 $1, (AX)(R11*1), Y0, Y0
	VINSERTI128 $1, 16(AX)(R11*1), Y1, Y1
	VPSRLVD Y2, Y0, Y0
	VPSUBD Y2, Y13, Y2
	VPSLLVD Y2, Y1, Y1
	VPOR Y1, Y0, Y0
	VPAND Y15, Y0, Y0
	VPADDD Y14, Y0, Y0
	VMOVDQU Y0, (CX)
	ADDQ $64, DX
	ADDQ $32, CX
	CMPQ DX, R13
	JNE  single
	LEAQ (AX)(BX*2), AX
	RET
