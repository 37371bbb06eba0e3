-- D1, D6, D7, Q21: approvals: the run does not wait, they outlive it, and the answer wakes the agent that asked.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
\ir ../support/queue.psql
\ir ../support/deciding.psql
select plan(23);

create function pg_temp.woken(decision text)
returns text
language sql
as $$
  select concat_ws(' ', w.source, w.payload ->> 'status', w.payload ->> 'decision_note', w.idempotency_key = 'approval_resolved:' || d.id, w.depth)
  from office.decisions as d
  join office.wakeups as w on w.payload ->> 'approval_id' = d.id::text
  where 'd' || d.number = decision
$$;

select pg_temp.scenario('approvals', 'ann', 'bob');
select pg_temp.running('ann') as w \gset
select (pg_temp.request(:'w', 'Hire a tester?')).* \gset a_
select is(:'a_kind' || ' ' || :'a_status' || ' ' || :'a_run_status', 'approval pending running', 'D1: an approval is asked; the run does not wait');
select is((pg_temp.request(:'w', 'Hire a tester?')).decision, :'a_decision', 'D1: the same request again gives the first row');
select isnt((pg_temp.request(:'w', 'Hire two?')).decision, :'a_decision', 'D1: another is another');
select is((select n.subject || ' ' || n.blocks || ' ' || n.lift from office.needs_me as n where n.decision = :'a_decision'), format('hire ann hears of it select * from office.answer(%L, %L);', :'a_decision', 'approved'), 'D1: needs_me shows it');
select is(pg_temp.finish(:'w'), 'succeeded', 'D4: its run ends');
select is((select d.status from office.decisions as d where 'd' || d.number = :'a_decision'), 'pending', 'D4: … the approval stays');
select is((pg_temp.refusal(format('select office.answer(%L, %L)', :'a_decision', 'yes'))).hint, 'Choices: approved, rejected.', 'D3: approved or rejected');
select is((office.answer(:'a_decision', 'approved', 'one only')).status, 'answered', 'D3: an approval needs no run');
select is(pg_temp.woken(:'a_decision'), 'approval_resolved approved one only t 0', 'D6: the answer wakes the agent that asked');
select is(pg_temp.claim(), 'ann:approval_resolved', 'D6: … which is launched');
update office.decisions set status = 'answered', choice = 'rejected' where 'd' || number = (select n.decision from office.needs_me as n where n.prompt = 'Hire two?');
select is((select string_agg(w.payload ->> 'status', ' ' order by w.id) from office.wakeups as w where w.source = 'approval_resolved'), 'approved rejected', 'D6: an answer by hand as well');
select is_empty('select * from office.audit()', 'Q26: the books balance');

-- Expiry
select pg_temp.running('bob') as v \gset
select pg_temp.task('Three', 'bob') as t \gset
select (pg_temp.request(:'v', 'May I?', :'t', '2 hours')).decision as d \gset
select testing.advance('2 hours');
select office.maintain();
select is(pg_temp.woken(:'d'), 'approval_resolved expired t 0', 'D7: expired is told as expired, never as rejected');
select is((select w.task_id = pg_temp.task_id(:'t') and w.addresses = 'assignee' from office.wakeups as w where w.source = 'approval_resolved' and w.payload ->> 'status' = 'expired'), true, 'Q2: … about the task that was meant');
-- An agent's answer is inside its run: one deeper (Q27).
select office.update_agent('approvals/ann', '{"can_approve": true}');
select (pg_temp.request(:'v', 'May I now?')).decision as d \gset
select r.attempt_id as ann from office.runs as r join office.agents as g on g.id = r.agent_id where g.name = 'ann' and r.status = 'claimed' \gset
select pg_temp.act(:'ann');
select office.answer(:'d', 'rejected');
select pg_temp.act_no_more();
select is(pg_temp.woken(:'d'), 'approval_resolved rejected t 1', 'Q27, D6: an agent''s answer wakes one deeper');

select is((pg_temp.refusal($$ select office.request_approval('hire', 'Me?') $$)).detail ->> 'code', 'forbidden', 'D1: people do not request');
select pg_temp.act(pg_temp.attempt(:'v'));
select is((pg_temp.refusal($$ select office.request_approval('holiday', 'Me?') $$)).detail ->> 'field', 'subject', 'D1: an unknown subject is refused');
select is((pg_temp.refusal($$ select office.request_approval(null, 'Me?') $$)).detail ->> 'field', 'subject', 'D1: … none too');
select is((pg_temp.refusal($$ select office.request_approval('hire', 'Me?', 't999999') $$)).state, 'PT404', 'D1: an unknown task is refused');
select pg_temp.act_no_more();

-- Q21: what a person caused brings the parked run of its scope forward.
create function pg_temp.parked(by text)
returns text
language plpgsql
as $$
declare
  v_task text;
  v_wakeup uuid;
  v_before text;
begin
  perform pg_temp.scenario('forward-' || parked.by, 'ann', 'lead');
  v_task := pg_temp.task('Work', 'ann');
  perform pg_temp.claim();
  select w.id into v_wakeup from office.wakeups as w where w.task_id = pg_temp.task_id(v_task);
  perform pg_temp.start(v_wakeup);
  if parked.by = 'approval' then
    perform pg_temp.request(v_wakeup, 'May I?', v_task);
  end if;
  perform pg_temp.fail(v_wakeup);
  v_before := pg_temp.claim();
  case parked.by
    when 'comment' then perform office.add_comment(v_task, 'Now, please.');
    when 'user' then perform pg_temp.wake('ann', 'user', pg_temp.about(v_task));
    when 'self' then perform pg_temp.wake('ann', 'self', pg_temp.about(v_task, '{"reason": "later"}'));
    else perform office.answer((select n.decision from office.needs_me as n where n.workspace = 'forward-approval'), 'approved');
  end case;
  return format('%s then %s', coalesce(nullif(v_before, ''), 'nothing'), coalesce(nullif(pg_temp.claim(), ''), 'nothing'));
end
$$;
select is(pg_temp.parked('approval'), 'nothing then ann:task_assigned', 'Q21: an approval brings a parked run forward to now');
select is(pg_temp.parked('user'), 'nothing then ann:task_assigned', 'Q21, sc-W21: so does a person''s wake, which comes while the run is parked for its retry');
select is(pg_temp.parked('self'), 'nothing then nothing', 'Q21: … and an agent''s does not');

select is_empty('select * from office.audit()', 'Q26: the books balance');
select * from finish();
rollback;
