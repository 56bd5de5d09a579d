// Package paper reproduces the tables and figures of the five papers that Pinion
// implements, with the papers' numbers beside ours.
//
// Each paper is a package beside this one, each table or figure a file there: an
// Experiment, which is a small value. What experiments share is here and in
//
//	corpus   stand-ins for the papers' collections and query logs
//	coding   codecs with the papers' parameters, in memory
//	resident lists on the GPU as the papers have them, and the papers' own kernels
//	recorded runs that are kept, for rows that this machine cannot measure
//
// Numbers of the papers come from their texts. Where a text has none, as for the curves
// of most figures, there is none here.
package paper
