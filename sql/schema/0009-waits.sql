-- What a run can wait for, since when, and in whose words: parked runs say it themselves, and each wait that is over is activity.

-- squawk-ignore ban-drop-constraint
alter table office.runs drop constraint runs_parked_check;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs
add constraint runs_parked_check check (parked in ('retry', 'window', 'snooze', 'blocker', 'checkout', 'resource', 'provider')) not valid;
-- squawk-ignore constraint-missing-not-valid
alter table office.runs validate constraint runs_parked_check;
alter table office.runs
add column parked_at timestamptz,
add column parked_detail text;
comment on column office.runs.parked_at is 'Since when it waits for that reason.';
comment on column office.runs.parked_detail is 'The reason in words, as it was when the wait began: Same folder as "…", which is running.';

-- It answers the reason's words, too.
-- squawk-ignore ban-drop-function
drop function if exists office_internal.run_holds(uuid[], timestamptz);
