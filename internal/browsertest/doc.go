// Package browsertest tests the pages of a site in Chromium, with and without
// script, by mouse and by keyboard. It contains only tests.
//
// They use two sites: this repository's public/, or another build of it that
// VERBATIM_PUBLIC names, and the stress site, one lesson with very long and unusual
// content. They are skipped when Chromium is not installed, unless VERBATIM_REQUIRE
// names chromium.
package browsertest
