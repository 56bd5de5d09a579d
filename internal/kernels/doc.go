// Package kernels is the Go side of the CUDA sources in the folder kernels: the table of
// kernels, which kernel serves which codec, and the parameter structs.
//
//	table.go    the kernels, one entry each: name, module, parameters, codecs
//	codecs.go   which kernel serves which codec
//	params.go   the parameter structs; kernels/params.h is the same in C
//	code.go     the code for a device: for compute capabilities 8.x and 9.x, and PTX for others
//	emulate.go  the host emulator (build tag emu)
//	added.go    kernels that a program adds: those of papers/kernels
//
// Every kernel takes one struct by value, so a launch consists of a kernel, a grid size
// and the bytes of the struct.
package kernels
