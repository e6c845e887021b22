package sqlite

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"
)

// stateName is the file next to the database that records how far its commits have come. It is compared with the
// database when the folder is opened, to find out whether anything was lost.
//
// The file is a list of slots of equal size. The first one was written when the folder was last opened or closed while
// no other process used it. Each process that writes appends a slot of its own and then overwrites only that: before
// each commit with a mark that one is under way, and after it, before the commit is acknowledged, with how far commits
// have come. So several processes need no lock, and what is recorded is the latest of all slots. These writes are not
// followed by fsync: they survive the end of the process, but when the power fails the file may be as old as the last
// checkpoint. It is never ahead of the database, whose commits are on the disk before.
const stateName = "payctl.state"

// A recorded state is what a slot, or all of them, say.
type recorded struct {
	// clean is true if the last process to use the folder has closed it: all is in the database, and its log is gone.
	clean bool
	// committed is a commit that has been acknowledged.
	committed progress
	// copied is a commit that the file of the database has, with all before it, also without the log.
	copied progress
	// underWay is true if a commit may have happened after that which is recorded.
	underWay bool
}

// merge takes over what another slot says. A state is clean if it has nothing but a slot that is.
func (r *recorded) merge(other recorded) {
	r.clean = false
	r.underWay = r.underWay || other.underWay
	r.committed = r.committed.max(other.committed)
	r.copied = r.copied.max(other.copied)
}

// A slot is: the magic, a byte that is cleanSlot, underWaySlot or zero, the checksum (CRC-32C) of all that follows it,
// the owner, committed, and copied.
const (
	stateMagic = "pst"
	ownerSize  = 8
	slotSize   = len(stateMagic) + 1 + 4 + ownerSize + 2*progressSize

	cleanSlot, underWaySlot = 1, 2
)

func (r recorded) slot(owner []byte) []byte {
	content := r.copied.put(r.committed.put(append(make([]byte, 0, slotSize), owner...)))
	kind := byte(0)
	switch {
	case r.clean:
		kind = cleanSlot
	case r.underWay:
		kind = underWaySlot
	}
	slot := append([]byte(stateMagic), kind)
	slot = binary.BigEndian.AppendUint32(slot, slotSum(kind, content))
	return append(slot, content...)
}

func slotSum(kind byte, content []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum([]byte{kind}, table), table, content)
}

// slotOf reads a slot, whose owner is the second result; false: it is damaged.
func slotOf(slot []byte) (r recorded, owner string, ok bool) {
	const head = len(stateMagic)
	content := slot[head+5:]
	if string(slot[:head]) != stateMagic || binary.BigEndian.Uint32(slot[head+1:]) != slotSum(slot[head], content) {
		return r, "", false
	}
	r.clean, r.underWay = slot[head] == cleanSlot, slot[head] == underWaySlot
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
	seen  seenState
}

// A seenState is the content of the file when it was last read for a stamp.
type seenState struct {
	mu      sync.Mutex
	buffer  [maxStamped]byte
	content []byte
	number  uint64 // counts the contents that were seen
	settled bool   // all slots are whole, and no commit is under way
}

// maxStamped is the size of a file that is read for a stamp, with one slot for each of several processes.
const maxStamped = 16 * slotSize

// stamp returns a number for the present content of the file; zero: that does not tell what is committed. Before a
// commit a process records that it is under way, and after it that it has happened. So the content is another one as
// soon as a commit has returned.
func (s *stateFile) stamp() uint64 {
	seen := &s.seen
	seen.mu.Lock()
	defer seen.mu.Unlock()
	n, err := s.file.ReadAt(seen.buffer[:], 0)
	if !errors.Is(err, io.EOF) { // it is longer, or cannot be read
		return 0
	}
	content := seen.buffer[:n]
	if !bytes.Equal(content, seen.content) {
		seen.content = append(seen.content[:0], content...)
		seen.number++
		seen.settled = n > 0 && n%slotSize == 0
		for slot := range slices.Chunk(content[:n-n%slotSize], slotSize) {
			r, _, whole := slotOf(slot)
			seen.settled = seen.settled && whole && !r.underWay
		}
	}
	if !seen.settled {
		return 0
	}
	return seen.number
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
