// Package browsertest promises, through its tests alone, what readers get: the
// pages of this repository and of a site made to hurt are opened in a real
// Chromium, with and without script, and used by mouse and by keyboard.
//
// The tests open public/ as it is committed; VERBATIM_PUBLIC names another
// built copy of this repository's site. They skip where there is no Chromium,
// and fail where VERBATIM_REQUIRE names it.
package browsertest
