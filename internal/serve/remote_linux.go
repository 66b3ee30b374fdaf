package serve

import (
	"slices"
	"syscall"
)

// networked are the file systems, by their number in statfs(2), on which
// others may write without this machine's kernel knowing.
var networked = []uint32{
	0x6969,     // NFS
	0x517b,     // SMB
	0xff534d42, // CIFS
	0xfe534d42, // SMB2
	0x01021997, // 9p: folders of a virtual machine's host, WSL's /mnt/c
	0x65735546, // FUSE: sshfs, and what Docker Desktop shares
	0x786f4256, // VirtualBox
	0x5346414f, // AFS
	0x00c36400, // Ceph
}

// remote tells whether a folder may change unheard.
func remote(folder string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(folder, &s) == nil && slices.Contains(networked, uint32(s.Type))
}
