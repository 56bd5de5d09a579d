//go:build !amd64 || purego

package unary

func (p *positions) find(src []byte, first uint32, from uint) { p.findGo(src, first, from) }
