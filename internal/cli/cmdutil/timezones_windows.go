package cmdutil

import _ "time/tzdata" // Windows has no time zone data under the names that --tz takes
