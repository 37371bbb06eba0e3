-- J4: settings live in rows: range and type for every way in; the narrowest wins; the gate follows.
begin;
set local search_path = tap, public;
\ir ../support/refusal.psql
select plan(22);

select from office.create_workspace('acme');
select from office.create_workspace('bolt');
create function pg_temp.code(statement text) returns text language sql
as $$ select concat_ws(' ', r.state, r.detail ->> 'code', r.detail ->> 'field') from pg_temp.refusal(statement) as r $$;

-- The narrowest wins.
select is(office.get_setting('max_concurrent_runs', 'acme'), '3', 'J4: no row means the default');
select office.set_setting('max_concurrent_runs', '5', 'office');
select is(office.get_setting('max_concurrent_runs', 'acme'), '5', 'J4: the office''s, when the workspace has none');
select office.set_setting('max_concurrent_runs', '2', 'acme');
select is(office.get_setting('max_concurrent_runs', 'acme'), '2', 'J4: the workspace''s own wins');
select is(office.get_setting('max_concurrent_runs', 'bolt'), '5', 'J4: another''s is another''s');
select is(office.get_setting('max_concurrent_runs', 'office'), '5', 'J4: the office''s own can be asked for');
select office.set_setting('max_concurrent_runs', '4', 'acme');
select is(office.get_setting('max_concurrent_runs', 'acme'), '4', 'J4: set again, it changes');
select is((select count(*) from office.settings), 2::bigint, 'J4: one row a scope and key');
select is((select distinct a.name from office.settings as s join office.accounts as a on a.id = s.set_by), 'system', 'I6: who set it is recorded');

-- The gate follows, in the dispatch, also a plain UPDATE and a DELETE.
create function pg_temp.slots(workspace text) returns integer language plpgsql
as $$
begin
  perform office.dispatch();
  return (select g.slots from office_internal.gates as g join office.workspaces as w on w.id = g.workspace_id where w.name = slots.workspace);
end
$$;
select results_eq(
  $$ select w, pg_temp.slots(w) from unnest(array['acme', 'bolt']) as w order by w $$, $$ values ('acme', 4), ('bolt', 5) $$,
  'J4: the gates follow the workspace''s and the office''s setting'
);
update office.settings set value = '6' where scope = 'workspace';
select is(pg_temp.slots('acme'), 6, 'J4: a plain UPDATE too');
delete from office.settings where scope = 'workspace';
select is(pg_temp.slots('acme'), 5, 'J4: a row that is gone leaves the next wider');

-- Ranges, types, choices, keys: by function and by hand.
select is_empty(
  $$
    select d.key, v.value, f.state, u.state
    from office.setting_definitions as d
    cross join lateral (values
      ((d.minimum - 1)::text, d.value_type = 'integer' and d.minimum > -2147483648), ((d.maximum + 1)::text, d.value_type = 'integer' and d.maximum < 999999999), ('1.5', d.value_type = 'integer'),
      ('many', d.value_type in ('integer', 'boolean') or d.choices is not null), ('', d.value_type in ('integer', 'boolean') or d.choices is not null),
      ('99999999999999999999', d.value_type = 'integer'), (null, true)
    ) as v (value, wrong)
    cross join lateral (select case when 'workspace' = any(d.scopes) then 'acme' else 'office' end as workspace) as w
    cross join lateral pg_temp.refusal(format('select office.set_setting(%L, %L, %L)', d.key, v.value, w.workspace)) as f
    cross join lateral pg_temp.refusal(format(
      'insert into office.settings (scope, key, value) values (%L, %L, %L)', 'office', d.key, v.value
    )) as u
    -- recovery_lookback_hours is clamped (T11).
    where v.wrong and not (d.key = 'recovery_lookback_hours' and v.value in ('0', '721')) and (f.state is distinct from 'PT422' or f.detail ->> 'code' <> 'invalid' or f.hint is null or u.state is distinct from 'PT422')
  $$,
  'J4: every setting refuses what is out of its range or type with PT422, by function and by a plain INSERT'
);
select is_empty(
  $$
    select d.key, v.value, f.message
    from office.setting_definitions as d
    cross join lateral (values (d.minimum::text), (d.maximum::text), (d.default_value), (d.choices[1])) as v (value)
    cross join lateral (select case when 'workspace' = any(d.scopes) then 'acme' else 'office' end as workspace) as w
    cross join lateral pg_temp.refusal(format('select office.set_setting(%L, %L, %L)', d.key, v.value, w.workspace)) as f
    where v.value is not null and f.state is not null
  $$,
  'J4: and takes both ends of its range, its default, and each choice'
);
select results_eq(
  $$ select state, message, hint from pg_temp.refusal($q$ select office.set_setting('max_concurrent_runs', '9', 'acme') $q$) $$,
  $$ values ('PT422', 'max_concurrent_runs cannot be "9".', 'A whole number from 1 to 8.') $$, 'J4 I3: the refusal says the range'
);
select is(
  pg_temp.code($$ update office.settings set value = '0' where key = 'max_concurrent_runs' $$), 'PT422 invalid max_concurrent_runs',
  'J4: a plain UPDATE meets it too'
);
select is(
  (pg_temp.refusal($$ select office.set_setting('max_concurent_runs', '4', 'acme') $$)).hint, 'Did you mean "max_concurrent_runs"?',
  'J4: an unknown key is refused, and the nearest named'
);
select is(pg_temp.code($$ select office.set_setting('nonsense', '4', 'acme') $$), 'PT404 not_found', 'J4: so is one that is like none');
select is(pg_temp.code($$ select office.get_setting('nonsense') $$), 'PT404 not_found', 'J4: when it is asked for, too');
select is(
  pg_temp.code($$ insert into office.settings (scope, key, value) values ('office', 'nonsense', '1') $$), 'PT404 not_found',
  'J4: and when it is inserted by hand'
);
select is(
  pg_temp.code($$ select office.set_setting('worker_lease_seconds', '60', 'acme') $$), 'PT422 invalid scope',
  'J4: a setting of the office is none of a workspace'
);
-- K13: without the trigger the same UPDATE passes.
alter table office.settings disable trigger settings_check;
select lives_ok($$ update office.settings set value = '0' where key = 'max_concurrent_runs' $$, 'K13: without the trigger the same UPDATE passes');
alter table office.settings enable trigger settings_check;
update office.settings set value = '3' where key = 'max_concurrent_runs';
select office.dispatch() as taken \gset
select is_empty('select * from office.audit()', 'the books are in order');

select * from finish();
rollback;
