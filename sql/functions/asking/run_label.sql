-- office.run_label: how a run is called in lists, for every face alike (E4): queued, starting, running, needs you, stopping,
-- interrupted, and the ends.
create or replace function office.run_label(status text, result text)
returns text
language sql immutable parallel safe
return case status
  when 'claimed' then 'starting'
  when 'waiting' then 'needs you'
  when 'finished' then replace(result, '_', ' ')
  when 'cancelled' then 'cancelled: ' || replace(result, '_', ' ')
  else status
end;

comment on function office.run_label(text, text) is 'Label of a run from its status and result, the same in every list.';
