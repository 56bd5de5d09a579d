// Package vector finds the nearest of many dense vectors, exactly, without reading most of their bytes.
//
// # Scores
//
// The score of two vectors is computed in float32 by one rule, on every platform: products, or squares of differences,
// are added up in 16 lanes, value i in lane i%16, and the lanes in halves (exact.go). Each operation is rounded; none is fused.
//
// # Codes
//
// A vector x is stored as the code of y = R(x-c), for a centre c and a rotation R that the index has (rotate.go). With a step s
// for each vector, value i has the code round(y[i]/s) + 128, of 8 bits. Its upper and lower four bits are kept apart (code.go).
// So y is y4 + e4 by the upper bits, where |e4| <= r4, and y8 + e8 by all, where |e8| <= r8; both are kept with the vector.
//
// # Bounds
//
// A query q becomes z = Rq, and z = z' + e with z' of integers (query.go). Since R keeps products,
//
//	<q, x> = <q, c> + <z, y>, and |<z, y> - <z', y4>| <= |e||y4| + |z|r4
//
// <z', y4> is a sum of integers. The bounds r4, r8 and |e| have within them what the rotation in float32 is off, at most
// turnError times a vector's length; what the sum of a score in 16 lanes is off is at most sumError(dims)|q||x|.
// Only a vector whose bound can pass the k-th best score is looked at with 8 bits, and only then as floats.
//
// Where codes are all that is kept (alone.go), the vector is y8, the query z, and a score that of these: the bounds hold with r8 = 0.
package vector
