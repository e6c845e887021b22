package api

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

func inputOf(text string) *reader {
	return &reader{ctx: context.Background(), deps: &cmdutil.Deps{Streams: &ui.Streams{In: strings.NewReader(text)}}}
}

// bodyOf is the body that flags make, as they stand on a command line: typed ones begin with F.
func bodyOf(t require.TestingT, flags ...string) (string, error) {
	var fields fieldFlags
	for _, flag := range flags {
		kind, text := flag[0], flag[2:]
		if err := fields.adder(kind == 'F').Set(text); err != nil {
			return "", err
		}
	}
	root, err := fields.read(inputOf("from\nstdin"))
	if err != nil {
		return "", err
	}
	body, err := root.body()
	return string(body), err
}

func TestFields(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "note.txt")
	require.NoError(t, os.WriteFile(file, []byte("a\nb\n"), 0o600))
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"f a=b"}, `{"a":"b"}`},
		{[]string{"f a="}, `{"a":""}`},
		{[]string{"f a=b=c"}, `{"a":"b=c"}`},
		{[]string{"f a=true", "F b=true", "F c=null", "F d=false"}, `{"a":"true","b":true,"c":null,"d":false}`},
		{[]string{"F n=12", "F m=-3", "F z=0"}, `{"m":-3,"n":12,"z":0}`},
		{[]string{"F n=123456789012345678901234567890"}, `{"n":123456789012345678901234567890}`},
		{[]string{"F a=12.50", "F b=1e3", "F c=007", "F d=-0", "F e=+1", "F f=0x1", "F g=- 1"}, `{"a":"12.50","b":"1e3","c":"007","d":"-0","e":"+1","f":"0x1","g":"- 1"}`},
		{[]string{"f a[b]=c", "f a[d][e]=g"}, `{"a":{"b":"c","d":{"e":"g"}}}`},
		{[]string{"f a[]=x", "F a[]=1"}, `{"a":["x",1]}`},
		{[]string{"f a[]"}, `{"a":[]}`},
		{[]string{"f a[b][]=x"}, `{"a":{"b":["x"]}}`},
		{[]string{"f a[][k]=1", "f a[][v]=2", "f a[][k]=3"}, `{"a":[{"k":"1","v":"2"},{"k":"3"}]}`},
		{[]string{"f a[][t][]=1", "f a[][t][]=2", "f a[][n]=x", "f a[][n]=y"}, `{"a":[{"n":"x","t":["1","2"]},{"n":"y"}]}`},
		{[]string{"F a=@" + file, "F b=@-"}, `{"a":"a\nb\n","b":"from\nstdin"}`},
		{[]string{"f a=@-"}, `{"a":"@-"}`},
		{[]string{"f a=<&>"}, `{"a":"<&>"}`},
	} {
		got, err := bodyOf(t, c.flags...)
		require.NoError(t, err, c.flags)
		require.Equal(t, c.want, got, c.flags)
	}
}

func TestFieldsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{"f =b"}, {"f a"}, {"f "}, {"f [a]=b"}, {"f a[b=c"}, {"f a]b=c"}, {"f a[b]c=d"}, {"f a[[b]]=c"}, {"f a[][]=c"}, {"f a[b]"},
		{"f a=1", "f a=2"}, {"f a=1", "f a[]=2"}, {"f a[]=1", "f a[b]=2"}, {"f a[b]=1", "f a=2"}, {"f a[b]=1", "f a[b][c]=2"},
		{"F a=@"}, {"F a=@/nowhere/at/all"}, {"F a=@-", "F b=@-"}, {"f a=\xff"},
	} {
		_, err := bodyOf(t, flags...)
		require.Error(t, err, flags)
	}
}

// Whatever the value of -F, no digit of it is lost and only whole numbers are numbers.
func TestTypedValuesKeepTheirDigitsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,40}`), rapid.StringMatching(`[-+]?[0-9]*\.?[0-9]*(e[0-9]+)?`), rapid.String()).Draw(t, "text")
		if strings.HasPrefix(text, "@") {
			return
		}
		value, err := typedValue(nil, text)
		require.NoError(t, err)
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		var decoded any
		decoder := json.NewDecoder(strings.NewReader(string(encoded)))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&decoded))
		if number, ok := decoded.(json.Number); ok {
			whole, isWhole := new(big.Int).SetString(text, 10)
			require.True(t, isWhole)
			require.Equal(t, text, whole.String())
			require.Equal(t, text, number.String())
		}
	})
}

func FuzzField(f *testing.F) {
	for _, seed := range []string{"a=b", "a[b]=c", "a[]=x", "a[][b]=c", "a[b][]", "[", "a[", "=", "a]]="} {
		f.Add(seed)
	}
	for _, seed := range []string{"a[[b]]=c", "a[]]=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		steps, value, hasValue, err := splitField(text)
		if err != nil {
			return
		}
		var again strings.Builder
		for i, step := range steps {
			if i == 0 {
				again.WriteString(step)
			} else {
				again.WriteString("[" + step + "]")
			}
		}
		if hasValue {
			again.WriteString("=" + value)
		}
		require.Equal(t, text, again.String())
		_ = object{}.put(steps, value, hasValue)
	})
}
