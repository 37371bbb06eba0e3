-- office_internal.engine_of: what keeps an engine's sessions: the kind of executor, its program, model, provider account and folder. A
-- session is resumed by the same engine only (N1, T13).
create or replace function office_internal.engine_of(executor jsonb, folder text)
returns text
language sql immutable parallel safe
return concat_ws(
  ' ', coalesce(executor ->> 'kind', 'command'), executor ->> 'preset', executor #>> '{command,0}', executor ->> 'url',
  executor ->> 'provider', executor ->> 'model', coalesce(executor ->> 'folder', folder)
);

comment on function office_internal.engine_of(jsonb, text) is 'What keeps an engine''s sessions.';
