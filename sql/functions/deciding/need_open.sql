-- office_internal.need_open: refuses an answer to what is no longer open, saying what is so (D3): already_answered, request_ended,
-- request_expired, request_void. A question, permission or publish request is open while its attempt's run waits, an interrupted one
-- while its run is interrupted, an approval needs no run. The caller holds the gate.
create or replace function office_internal.need_open(decision office.decisions, at timestamptz)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_code text := case
    when (decision).status = 'answered' then 'already_answered'
    when (decision).status = 'void' then 'request_void'
    when (decision).status = 'expired' and (decision).reason = 'Its work ended.' then 'request_ended'
    when (decision).status = 'expired' or (decision).expires_at <= need_open.at then 'request_expired'
    when (decision).kind <> 'approval' and not exists (
      select
      from office.runs as r
      where r.id = (decision).run_id and r.attempt_id = (decision).attempt_id
        and r.status = case when (decision).kind = 'interrupted' then 'interrupted' else 'waiting' end
    ) then 'request_ended'
  end;
begin
  if v_code is not null then
    perform office_internal.refuse(
      v_code,
      case v_code
        when 'already_answered' then 'Already answered.'
        when 'request_ended' then 'This request ended with its work.'
        when 'request_expired' then 'This request expired.'
        else 'This request no longer applies.'
      end,
      'Nothing was changed. What is open: select * from office.needs_me;',
      jsonb_strip_nulls(jsonb_build_object(
        'decision', 'd' || (decision).number, 'choice', (decision).choice, 'decided_at', (decision).decided_at
      ))
    );
  end if;
end
$$;

comment on function office_internal.need_open(office.decisions, timestamptz) is 'Refuses an answer to what is no longer open.';
