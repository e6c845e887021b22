package sqlite

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// logOf makes a log with pages of 512 bytes: frames that continue each other's checksums, of which every second commits.
func logOf(frames int) []byte {
	const page = 512
	sum := checksum{order: binary.LittleEndian}
	stored := func(to []byte) []byte {
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(to, sum.s0), sum.s1)
	}
	log := binary.BigEndian.AppendUint32(nil, logMagic)
	for _, word := range []uint32{3007000, page, 0, 17, 18} {
		log = binary.BigEndian.AppendUint32(log, word)
	}
	sum.add(log)
	log = stored(log)
	for i := range frames {
		head := binary.BigEndian.AppendUint32(nil, uint32(i)+1)
		head = binary.BigEndian.AppendUint32(head, uint32(i%2)*9)
		content := bytes.Repeat([]byte{byte(i)}, page)
		sum.add(head)
		sum.add(content)
		log = append(append(log, head...), log[16:24]...)
		log = append(stored(log), content...)
	}
	return log
}

// FuzzLogScan reads any bytes as a log: it ends without an error, and what it says lies within them.
func FuzzLogScan(f *testing.F) {
	for _, seed := range []string{""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		s := logScan{damagedAt: -1}
		require.NoError(t, s.read(bytes.NewReader(log)))
		require.Less(t, s.damagedAt, int64(len(log)+1))
	})
}

func TestScanOfAMadeLog(t *testing.T) {
	t.Parallel()
	const frame = frameHeaderSize + 512
	whole := logOf(8)
	scan := func(log []byte) logScan {
		s := logScan{damagedAt: -1}
		require.NoError(t, s.read(bytes.NewReader(log)))
		return s
	}
	require.EqualValues(t, -1, scan(whole).damagedAt)
	for i := range 8 {
		damaged := bytes.Clone(whole)
		damaged[logHeaderSize+i*frame+frameHeaderSize+7] ^= 0x10
		want := int64(logHeaderSize + i*frame)
		if i >= 5 { // the last commit, which no frame follows, proves nothing
			want = -1
		}
		require.Equal(t, want, scan(damaged).damagedAt, "frame %d", i)
	}
}
