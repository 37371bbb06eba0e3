alter table office.runs drop column parked_at, drop column parked_detail;
alter table office.runs drop constraint runs_parked_check;
alter table office.runs
add constraint runs_parked_check check (parked in ('window', 'retry', 'blocker', 'snooze', 'checkout', 'claim_error')) not valid;
alter table office.runs validate constraint runs_parked_check;
