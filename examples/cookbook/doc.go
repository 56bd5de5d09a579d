// Package cookbook has the programs of docs/cookbook.md, which its tests run. It has nothing to import.
package cookbook
