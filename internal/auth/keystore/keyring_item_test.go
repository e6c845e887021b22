package keystore

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A name leads back to its key, also where case is lost: so no two keys share one.
func TestUserIsReversible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.StringN(0, 20, 30), rapid.StringMatching(`[aAbB@%:/4025-]{0,12}`))
		k := Key{Profile: part.Draw(t, "profile"), Origin: part.Draw(t, "origin")}
		name, err := userName(k)
		require.NoError(t, err)
		require.Equal(t, strings.ToLower(name), name)
		profile, origin, ok := strings.Cut(name, "@")
		require.True(t, ok)
		profile, err = url.PathUnescape(profile)
		require.NoError(t, err)
		origin, err = url.PathUnescape(origin)
		require.NoError(t, err)
		require.Equal(t, Key{Profile: profile, Origin: origin}, k)
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	name, err := userName(testKey)
	require.NoError(t, err)
	require.Equal(t, 2560, maxValue("windows", name))
	require.Equal(t, 64<<10, maxValue("linux", name))

	// What go-keyring writes to macOS's tool stays below its bound of 4,096 bytes.
	for _, name := range []string{name, strings.Repeat("[", maxUserName)} {
		n := maxValue("darwin", name)
		require.Greater(t, n, 2500)
		line := "add-generic-password -U -s payctl -a '" + name + "' -w go-keyring-base64:" + strings.Repeat("x", (n+2)/3*4) + "\n"
		require.LessOrEqual(t, len(line), 4096)
		require.Greater(t, len(line), 3900, "and does not waste what there is")
	}

	require.NoError(t, checkSize("windows", name, strings.Repeat("x", 2560)))
	err = checkSize("windows", name, strings.Repeat("x", 2561))
	require.ErrorContains(t, err, "2561 bytes of at most 2560")
}
