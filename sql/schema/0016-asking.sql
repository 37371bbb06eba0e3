-- What changes rarely and explains much: pauses, limits, agents held. Found by itself among all activity (K9, I9).

-- squawk-ignore require-concurrent-index-creation
create index activity_switches on office.activity (workspace_id, at)
  where kind in ('paused', 'resumed', 'agent_held', 'agent_let_go', 'limit_changed');
