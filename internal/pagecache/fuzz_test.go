package pagecache

import "testing"

// FuzzIndex checks that no bytes crash the decoder of an index.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 5, '.', 'h', 't', 'm', 'l', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = decodeIndex(string(data)) })
}
