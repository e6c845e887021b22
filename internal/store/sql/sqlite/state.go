package sqlite

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
)

// stateName is the file next to the database that records how far its commits have come. It is compared with the
// database when the folder is opened, to find out whether anything was lost.
//
// The file is a list of slots of equal size. The first one was written when the folder was last opened or closed while
// no other process used it. Each process that writes appends a slot of its own and then overwrites only that, after
// each commit and before the commit is acknowledged. So several processes need no lock, and what is recorded is
// the latest of all slots. This write is not followed by fsync: it survives the end of the process, but when the power
// fails the file may be as old as the last checkpoint. It is never ahead of the database, whose commits are on the disk
// before.
const stateName = "payctl.state"

// A recorded state is what a slot, or all of them, say.
type recorded struct {
	// clean is true if the last process to use the folder has closed it: all is in the database, and its log is gone.
	clean bool
	// committed is a commit that has been acknowledged.
	committed progress
	// copied is a commit that the file of the database has, with all before it, also without the log.
	copied progress
}

// merge takes over what another slot says. A state is clean if it has nothing but a slot that is.
func (r *recorded) merge(other recorded) {
	r.clean = false
	r.committed = r.committed.max(other.committed)
	r.copied = r.copied.max(other.copied)
}

// A slot is: the magic, a byte that is 1 in a clean state, the checksum (CRC-32C) of all that follows it, the owner,
// committed, and copied.
const (
	stateMagic = "pst"
	ownerSize  = 8
	slotSize   = len(stateMagic) + 1 + 4 + ownerSize + 2*progressSize
)

func (r recorded) slot(owner []byte) []byte {
	content := r.copied.put(r.committed.put(append(make([]byte, 0, slotSize), owner...)))
	clean := byte(0)
	if r.clean {
		clean = 1
	}
	slot := append([]byte(stateMagic), clean)
	slot = binary.BigEndian.AppendUint32(slot, slotSum(clean, content))
	return append(slot, content...)
}

func slotSum(clean byte, content []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum([]byte{clean}, table), table, content)
}

// slotOf reads a slot, whose owner is the second result; false: it is damaged.
func slotOf(slot []byte) (r recorded, owner string, ok bool) {
	const head = len(stateMagic)
	content := slot[head+5:]
	if string(slot[:head]) != stateMagic || binary.BigEndian.Uint32(slot[head+1:]) != slotSum(slot[head], content) {
		return r, "", false
	}
	r.clean = slot[head] == 1
	r.committed, r.copied = progressOf(content[ownerSize:]), progressOf(content[ownerSize+progressSize:])
	return r, string(content[:ownerSize]), true
}

// A stateFile is the open file with this process's slot.
type stateFile struct {
	folder *files
	file   *os.File

	mu    sync.Mutex
	own   recorded
	owner []byte
	at    int64 // where the own slot is; 0: there is none yet, since the first slot belongs to no process
}

// openState opens the file, and creates it if necessary.
func openState(folder *files) (*stateFile, error) {
	f, err := folder.open(stateName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return &stateFile{folder: folder, file: f}, nil
}

// readState reads the file of a folder. known is false if there is none, as in a folder of an earlier version.
func readState(folder *files) (r recorded, known bool, err error) {
	f, err := folder.open(stateName, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	s := &stateFile{file: f}
	r, known, err = s.read()
	return r, known, errors.Join(err, f.Close())
}

// read merges all slots.
func (s *stateFile) read() (r recorded, known bool, err error) {
	err = s.slots(func(slot recorded, _ string, _ int64) {
		if known {
			r.merge(slot)
			return
		}
		r, known = slot, true
	})
	return r, known, err
}

// slots calls each for every slot that is not damaged.
func (s *stateFile) slots(each func(slot recorded, owner string, at int64)) error {
	content, err := io.ReadAll(io.NewSectionReader(s.file, 0, math.MaxInt64))
	for at := 0; at+slotSize <= len(content); at += slotSize {
		if r, owner, ok := slotOf(content[at : at+slotSize]); ok {
			each(r, owner, int64(at))
		}
	}
	return err
}

// restart makes a state the only one in the file, on the disk. No other process uses the folder.
func (s *stateFile) restart(r recorded) error {
	if _, err := s.file.WriteAt(r.slot(make([]byte, ownerSize)), 0); err != nil {
		return err
	}
	return errors.Join(s.file.Truncate(int64(slotSize)), s.file.Sync())
}

// join appends the slot of this process, whose writes begin. Other processes may do so at the same time: the slot is
// found again by its random owner.
func (s *stateFile) join() error {
	s.owner = make([]byte, ownerSize)
	_, _ = rand.Read(s.owner) // never fails
	end, err := s.folder.open(stateName, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = end.Write(s.own.slot(s.owner))
	if err := errors.Join(err, end.Close()); err != nil {
		return err
	}
	err = s.slots(func(_ recorded, owner string, at int64) {
		if owner == string(s.owner) {
			s.at = at
		}
	})
	if err == nil && s.at == 0 {
		err = errors.New(stateName + " was replaced while the folder is in use")
	}
	return err
}

// update changes the own slot.
func (s *stateFile) update(change func(*recorded)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.own)
	if s.at == 0 {
		return s.join()
	}
	_, err := s.file.WriteAt(s.own.slot(s.owner), s.at)
	return err
}

// latest is the last commit of all processes, as far as it is recorded.
func (s *stateFile) latest() (progress, error) {
	r, _, err := s.read()
	return r.committed, err
}
