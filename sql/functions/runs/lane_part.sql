-- office_internal.lane_part: what a run is to its agent's lane: active (it takes up room), claimable (it may be the head), or
-- nothing (A15).
create or replace function office_internal.lane_part(status text, parked text, answered_at timestamptz)
returns text
language sql immutable parallel safe
return case
  when status in ('claimed', 'running', 'waiting', 'stopping') then 'active'
  when status = 'queued' and answered_at is not null then 'active'
  when status = 'queued' and parked is null then 'claimable'
  else 'nothing'
end;

comment on function office_internal.lane_part(text, text, timestamptz)
is 'What a run is to its agent''s lane: active, claimable or nothing.';
