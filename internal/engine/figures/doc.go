// Package figures says how many values there are, their sum, mean, least and greatest, their percentiles, and how many are
// distinct. What is known of some values is added to what is known of others without a loss: in which order, and on which
// machines, changes no bit of a figure.
//
//	sum.go      Sum: sums of integers and floats as they are, rounded once
//	bars.go     Bars: values counted in intervals of a fixed relative width, for percentiles
//	state.go    State: all of these
//	encode.go   State in bytes
//	pairs.go    Pairs: numbers for what is seen for the first time
package figures
