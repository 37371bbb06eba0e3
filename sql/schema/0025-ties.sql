-- What one person asks of another under one id comes once (T12); a task that would be a part of itself (T14).

-- squawk-ignore require-concurrent-index-creation
create unique index tasks_peer_request on office.tasks (workspace_id, requested_by_account_id, peer_request_id)
  where peer_request_id is not null;

insert into office.errors (code, status, retryable, meaning) values
  ('parent_cycle', 409, false, 'The task would be a part of itself.');
