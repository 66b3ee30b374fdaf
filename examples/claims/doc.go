// Package claims lists every technical claim of the two lessons on rate
// limiting, each with what shows it: commands and their replies on a real Redis,
// a line that a recorded run printed, a test, or a source. Its tests run the
// list. testdata/claims.txt and testdata/outline.txt say how they are read.
package claims
