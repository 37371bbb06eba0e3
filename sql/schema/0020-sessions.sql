-- Launches, checkpoints, receipts, agent sessions: what a run needs to go on where it was, and only where it was (D2, N1, P7).

-- An answer launches the same attempt again, on another worker perhaps: what its first launcher says of it is said of another program.
alter table office.attempts add column launch integer not null default 1 check (launch > 0);
comment on column office.attempts.launch is 'Which launch of this attempt, from 1: an answer launches it again..';

alter type office_internal.launch add attribute launch integer;
alter type office_internal.launch add attribute steps integer;

-- They answer with more than before.
-- squawk-ignore ban-drop-function
drop function if exists office.claim_runs(uuid, integer);
-- squawk-ignore ban-drop-function
drop function if exists office.abandoned_attempts(text);
