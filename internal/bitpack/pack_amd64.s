//go:build amd64 && !purego

#include "textflag.h"

DATA wordBits<>+0(SB)/4, $32
GLOBL wordBits<>(SB), RODATA|NOPTR, $4

// func packAVX2(dst *byte, v *uint32, width uint)
//
// A row is shifted to where it begins in a vector, X0, which is written when it is full and
// goes on with the bits that it had no room for. Four rows of up to 8 bits become one.
TEXT ·packAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ v+8(FP), SI
	MOVQ width+16(FP), DX
	LEAQ 512(SI), R8
	MOVQ $-1, AX
	BZHIQ DX, AX, AX
	VMOVD AX, X7
	VPBROADCASTD X7, X7 // the bits of a value
	VMOVD DX, X6
	VPBROADCASTD X6, X6 // width of a row
	VPBROADCASTD wordBits<>(SB), X5
	VPXOR X4, X4, X4 // where the row begins
	VPXOR X0, X0, X0
	MOVQ $-32, BX // the same, less 32
	CMPQ DX, $8
	JHI  row
	VMOVDQA X6, X8
	VPSLLD $2, X6, X6
	SHLQ $2, DX

four:
	VPAND 48(SI), X7, X1
	VPSLLVD X8, X1, X1
	VPAND 32(SI), X7, X2
	VPOR X2, X1, X1
	VPSLLVD X8, X1, X1
	VPAND 16(SI), X7, X2
	VPOR X2, X1, X1
	VPSLLVD X8, X1, X1
	VPAND (SI), X7, X2
	VPOR X2, X1, X1
	VPSLLVD X4, X1, X2
	VPOR X2, X0, X0
	VPADDD X6, X4, X4
	ADDQ $64, SI
	ADDQ DX, BX
	JCC  fourMore
	VMOVDQU X0, (DI)
	ADDQ $16, DI
	SUBQ $32, BX
	VPSUBD X5, X4, X4
	VPSUBD X4, X6, X3
	VPSRLVD X3, X1, X0 // nothing if the row has ended

fourMore:
	CMPQ SI, R8
	JNE  four
	RET

row:
	VPAND (SI), X7, X1
	VPSLLVD X4, X1, X2
	VPOR X2, X0, X0
	VPADDD X6, X4, X4
	ADDQ $16, SI
	ADDQ DX, BX
	JCC  rowMore
	VMOVDQU X0, (DI)
	ADDQ $16, DI
	SUBQ $32, BX
	VPSUBD X5, X4, X4
	VPSUBD X4, X6, X3
	VPSRLVD X3, X1, X0

rowMore:
	CMPQ SI, R8
	JNE  row
	RET
