-- office.receive_message: a message of a channel, by its name or id: a comment on its task, once per external id (T7); whom it wakes is
-- that of every comment. Answers the comment, and whether the message had come before. Refuses agents (forbidden), unknown channels
-- (not_found), empty and over-long texts (invalid). Takes no gate.
create or replace function office.receive_message(channel text, external_id text, author text, body text)
returns table (comment_id uuid, duplicate boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
#variable_conflict use_column
declare
  v_account uuid := office_internal.need_person();
  v_channel office.channels;
  v_constraint text;
  v_column text;
begin
  select c.* into v_channel
  from office.channels as c
  where c.workspace_id in (select office.visible_workspaces())
    and (lower(c.name) = lower(receive_message.channel) or c.id::text = receive_message.channel)
  order by (c.id::text = receive_message.channel) desc
  limit 1;
  if v_channel.id is null then
    perform office_internal.not_found(
      'channel', receive_message.channel,
      (select array_agg(c.name) from office.channels as c where c.workspace_id in (select office.visible_workspaces())),
      'office.create_channel makes one.'
    );
  end if;
  -- Whoever brings the same message meanwhile waits for this row.
  perform from office.channels as c where c.id = v_channel.id for no key update;
  select m.comment_id into comment_id
  from office.channel_messages as m
  where m.channel_id = v_channel.id and m.external_id = receive_message.external_id;
  duplicate := found;
  if not duplicate then
    insert into office.comments (workspace_id, task_id, author_account_id, body)
    values (
      v_channel.workspace_id, v_channel.task_id, v_account, format('%s: %s', receive_message.author, receive_message.body)
    )
    returning id into comment_id;
    insert into office.channel_messages (channel_id, external_id, workspace_id, comment_id, author)
    values (v_channel.id, receive_message.external_id, v_channel.workspace_id, comment_id, receive_message.author);
  end if;
  return next;
exception when check_violation or not_null_violation then
  get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
  perform office_internal.refuse_value('channel_messages', v_constraint, v_column);
end
$$;

comment on function office.receive_message(text, text, text, text) is 'Takes a message of an outside conversation, once.';
