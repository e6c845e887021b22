package period

import _ "time/tzdata" // Windows and small containers have no time zone data under the names that TZ takes
