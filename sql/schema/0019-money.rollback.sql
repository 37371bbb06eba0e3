drop table office.maintenance_slots;
update office.runs set parked = null, due_at = null
where parked = 'budget';
alter table office.runs drop constraint runs_parked_check;
alter table office.runs
add constraint runs_parked_check check (parked in ('retry', 'window', 'snooze', 'blocker', 'checkout', 'resource', 'provider')) not valid;
alter table office.runs validate constraint runs_parked_check;
drop index office.runs_wait_for_budget;
alter table office.runs drop column parked_budget_id;
alter table office_internal.changes drop column paused_by;
drop table office_internal.budget_pauses;
drop table office.budget_reservations;
drop table office.budget_periods;
drop table office.budgets;
drop table office.model_prices;
drop table office.usage_events;
