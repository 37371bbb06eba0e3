-- office_internal.limited_model: this model, when the limit that an error tells of is the model's own and not the account's (Q25): a line
-- that says that a limit was hit names the model, by its name or the word that tells it from its sisters (opus), or says "this model".
create or replace function office_internal.limited_model(error text, model text)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_makers constant text[] := array[
    'claude', 'anthropic', 'openai', 'codex', 'gemini', 'google', 'mistral', 'model', 'models', 'latest', 'preview', 'turbo', 'mini',
    'chat', 'instruct', 'high', 'medium', 'fast', 'large', 'small'
  ];
  v_names text;
begin
  if limited_model.model is null then
    return null;
  end if;
  -- Each as a word of its own, with anything or nothing where the name has a sign.
  select string_agg(n.name, '|')
  into v_names
  from (
    select regexp_replace(regexp_replace(lower(limited_model.model), '^.*/', ''), '[^a-z0-9]+', '[^a-z0-9]?', 'g') as name
    union all
    select w.word
    from regexp_split_to_table(lower(limited_model.model), '[^a-z]+') as w (word)
    where length(w.word) >= 4 and not w.word = any(v_makers)
  ) as n
  where n.name <> '';
  return (
    select limited_model.model
    from regexp_split_to_table(office_internal.limit_lines(office_internal.limit_text(limited_model.error)), '\n') as l (line)
    where office_internal.says_limit(l.line)
      and (l.line ~* ('(?<![a-z0-9])(?:' || v_names || ')(?![a-z0-9]|-[a-z])') or l.line ~* '\m(?:this|the requested|selected) model\M')
    limit 1
  );
end
$$;

comment on function office_internal.limited_model(text, text) is 'The model, when the limit that an error tells of is its own.';
