// Package query has what is searched for: nodes such as Match, Bool and Range, which a pinion.Request takes, and Parse and
// ParseLenient, which make a node of what people type.
//
// Nodes that score add up what their terms score; nodes that only match, such as Range, restrict. What nodes within nodes score
// is in format/FORMAT.md, section 8. A node is plain data: it is checked against the schema of an index when a search begins, and
// an error there says at which node.
package query
