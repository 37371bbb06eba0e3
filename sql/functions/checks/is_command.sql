-- office_internal.is_command: a program and its arguments, as texts; or none at all.
create or replace function office_internal.is_command(command jsonb)
returns boolean
language sql immutable parallel safe
return is_command.command is null or (
  jsonb_typeof(is_command.command) = 'array' and jsonb_array_length(is_command.command) between 1 and 100
  and not jsonb_path_exists(is_command.command, 'strict $[*] ? (@.type() != "string")', silent => true)
  and is_command.command ->> 0 <> ''
);

comment on function office_internal.is_command(jsonb) is 'True for a command as a list of texts, and for none.';
