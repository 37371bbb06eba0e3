-- E4: one label for a run, wherever it is shown; an ended run is never shown busy.
begin;
set local search_path = tap, public;
select plan(3);

select results_eq(
  $$ select s.status, office.run_label(s.status, s.status) from office.run_states as s where not s.ended order by s.status $$,
  $$ values ('claimed', 'starting'), ('queued', 'queued'), ('running', 'running'), ('stopping', 'stopping'), ('waiting', 'needs you') $$,
  'E4: queued, starting, running, needs you, stopping'
);
select results_eq(
  $$ select office.run_label(v.status, v.result) from (values ('finished', 'succeeded'), ('finished', 'idle_skipped'), ('cancelled', 'task_terminal'),
     ('failed', 'failed'), ('blocked', 'blocked'), ('interrupted', 'interrupted')) as v (status, result) $$,
  $$ values ('succeeded'), ('idle skipped'), ('cancelled: task terminal'), ('failed'), ('blocked'), ('interrupted') $$, 'E4: and the ends'
);
select is_empty(
  $$ select e.status from office.run_states as e, office.run_states as b where e.ended and not b.ended
     and office.run_label(e.status, e.status) = office.run_label(b.status, b.status) $$,
  'E4: no end has the label of a run under way'
);

select * from finish();
rollback;
