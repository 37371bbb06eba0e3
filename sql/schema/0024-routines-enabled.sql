-- The switch of an account's routines (J1, R2).

insert into office.setting_definitions (key, scopes, value_type, default_value, minimum, maximum, choices, meaning) values
  ('routines_enabled', '{office,account}', 'boolean', 'on', null, null, null, 'off: no routine that this account made fires (J1)');

-- It takes an account, too.
-- squawk-ignore ban-drop-function
drop function if exists office_internal.setting(text, uuid);
