package sqlite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// The layout of a write-ahead log (https://www.sqlite.org/fileformat2.html, section 4, "The Write-Ahead Log"): a
// header, and then frames. A frame is a header and a page of the database; one that ends a transaction is a commit
// frame.
const (
	logHeaderSize   = 32
	frameHeaderSize = 24
	// logMagic is that of a log whose checksums read their input as little-endian words; with the last bit set they are
	// big-endian.
	logMagic = 0x377f0682
	maxPage  = 65_536 // bytes
)

// A logScan is what a write-ahead log holds, read without SQLite, which would drop all from the first damaged frame on
// without a word.
//
// A frame is intact if it has the salts of the header and the checksum that continues the one in the frame before it.
// SQLite replays the intact frames from the first one, up to the last commit frame among them. After them a log may
// hold frames of an earlier log, with other salts, and what a transaction left that did not end.
type logScan struct {
	size        int64    // of the file; zero: it is missing, or empty
	first, last progress // of the first and the last commit that SQLite replays; zero: it replays none
	// damagedAt is where the first frame begins that is not intact although one after it proves that it was; -1: there
	// is no such frame. The proof is an intact commit frame that another intact frame follows directly: SQLite writes
	// the next transaction only when the one before it is on the disk.
	damagedAt int64
	behind    progress // of the last commit after damagedAt that can be read
}

// scanLog reads a log from the beginning to the end. A file that is no log holds nothing.
func scanLog(folder *files, name string) (s logScan, err error) {
	s.damagedAt = -1
	f, err := folder.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	s.size = info.Size()
	return s, s.read(bufio.NewReaderSize(f, 1<<20))
}

// read scans the content of a log.
func (s *logScan) read(from io.Reader) error {
	header := make([]byte, logHeaderSize)
	if _, err := io.ReadFull(from, header); err != nil {
		return endOfFile(err)
	}
	magic, page := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[8:])
	sum := checksum{order: binary.LittleEndian}
	if magic == logMagic|1 {
		sum.order = binary.BigEndian
	}
	sum.add(header[:24])
	if magic&^1 != logMagic || page < 512 || page > maxPage || page&(page-1) != 0 || !sum.equals(header[24:]) {
		return nil
	}
	var (
		salts   = header[16:24]
		frame   = make([]byte, frameHeaderSize+page)
		replays = true     // all frames so far are intact
		pending progress   // the marker in the frames since the last commit frame
		bad     = int64(0) // where the first frame begins that is not intact
		proven  = false    // the frame before is an intact commit frame
	)
	for at := int64(logHeaderSize); ; at += int64(len(frame)) {
		if _, err := io.ReadFull(from, frame); err != nil {
			return endOfFile(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeaderSize:])
		intact := sum.equals(frame[16:]) && string(frame[8:16]) == string(salts) && binary.BigEndian.Uint32(frame) != 0
		sum.set(frame[16:]) // a frame that is damaged otherwise still has the checksum that the next one continues
		if !intact {
			if replays {
				replays, bad = false, at
			}
			pending, proven = progress{}, false
			continue
		}
		if !replays && proven {
			s.damagedAt = bad
		}
		pending = pending.max(findMarkers(frame[frameHeaderSize:]))
		commits := binary.BigEndian.Uint32(frame[4:]) != 0 // the size of the database after the commit
		proven = commits
		if !commits {
			continue
		}
		s.committed(pending, replays)
		pending = progress{}
	}
}

// committed notes an intact commit frame.
func (s *logScan) committed(p progress, replays bool) {
	switch {
	case p == progress{}: // of a program that does not count
	case !replays:
		s.behind = s.behind.max(p)
	default:
		s.last = p
		if s.first == (progress{}) {
			s.first = p
		}
	}
}

// endOfFile is nil for the end of a file, also within a header or a frame.
func endOfFile(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// A checksum is that of the section "Checksum Algorithm".
type checksum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

// add continues it with bytes, of which there are a multiple of 8.
func (c *checksum) add(content []byte) {
	s0, s1 := c.s0, c.s1
	if c.order == binary.ByteOrder(binary.LittleEndian) { // that of nearly every machine: without calls by an interface
		for ; len(content) >= 8; content = content[8:] {
			s0 += binary.LittleEndian.Uint32(content) + s1
			s1 += binary.LittleEndian.Uint32(content[4:]) + s0
		}
	} else {
		for ; len(content) >= 8; content = content[8:] {
			s0 += binary.BigEndian.Uint32(content) + s1
			s1 += binary.BigEndian.Uint32(content[4:]) + s0
		}
	}
	c.s0, c.s1 = s0, s1
}

// equals reports whether it is the one that is stored, which is big-endian in every log.
func (c *checksum) equals(stored []byte) bool {
	return c.s0 == binary.BigEndian.Uint32(stored) && c.s1 == binary.BigEndian.Uint32(stored[4:])
}

// set takes the stored one over.
func (c *checksum) set(stored []byte) {
	c.s0, c.s1 = binary.BigEndian.Uint32(stored), binary.BigEndian.Uint32(stored[4:])
}
