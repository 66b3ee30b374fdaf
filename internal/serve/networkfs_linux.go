package serve

import (
	"slices"
	"syscall"
)

// networkFileSystems lists the file systems, by their magic number in statfs(2),
// that other machines can write to without an event in this machine's kernel.
var networkFileSystems = []uint32{
	0x6969,     // NFS
	0x517b,     // SMB
	0xff534d42, // CIFS
	0xfe534d42, // SMB2
	0x01021997, // 9p: directories of a virtual machine's host, WSL's /mnt/c
	0x65735546, // FUSE: sshfs, and what Docker Desktop shares
	0x786f4256, // VirtualBox
	0x5346414f, // AFS
	0x00c36400, // Ceph
}

// onNetworkFS reports whether a directory is on a file system whose changes
// cannot be watched.
func onNetworkFS(dir string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) == nil && slices.Contains(networkFileSystems, uint32(s.Type))
}
