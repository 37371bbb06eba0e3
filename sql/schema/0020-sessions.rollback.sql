drop function if exists office.abandoned_attempts(text);
drop function if exists office.claim_runs(uuid, integer);
alter type office_internal.launch drop attribute steps;
alter type office_internal.launch drop attribute launch;
alter table office.attempts drop column launch;
