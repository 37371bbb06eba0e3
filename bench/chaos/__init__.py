"""`make chaos MINUTES=n` (K9): everything at once, by real sessions and real kills; then the proof.

run       one run of it, from the empty cluster to the table
furnish   the office that it works on, and what of it never changes
workers   a program: workers that claim, start, record, ask, end; their ledger
people    a program: clients that do every operation at random; their ledger
crew      those programs, and `officectl serve`, as processes
faults    kill -9, terminated backends, frozen workers, held snapshots, the postmaster's end
quiet     afterwards: whatever waits comes to its end
proof     ledgers against the database: nothing lost, nothing twice, no limit passed
sweeps    the limits, at every instant that has passed
sessions  a session that outlives its server; what an answer may be
ledger    what was acknowledged, outside the database, one line each
"""
