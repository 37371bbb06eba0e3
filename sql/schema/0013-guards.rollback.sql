drop index office.inbox_items_loop;
drop index office.runs_retryable;
drop index office.runs_launched;
alter table office.runs drop column stopping_at;
delete from office.wakeup_moves
where from_status = 'queued' and to_status = 'skipped';
delete from office.settings
where key = 'max_runs_per_hour';
delete from office.setting_definitions
where key = 'max_runs_per_hour';
