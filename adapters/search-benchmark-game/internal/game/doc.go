// Package game is Pinion's engine for search-benchmark-game (github.com/quickwit-oss/search-benchmark-game), which
// compares search engines on one collection by the time that queries take. The game builds an index with one
// program, cmd/build_index, and asks another, cmd/do_query, one question at a time, each a line of a command, a tab
// and a query, and reads a line with a number for each. README.md says how the folder joins the game.
package game
