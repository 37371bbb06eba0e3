-- Cron (R3 to R6): its refusals, and the parsed form that a trigger keeps.

insert into office.errors (code, status, retryable, meaning) values
  ('bad_cron', 422, false, 'Not a cron expression, or one that never fires; the field is in the detail.'),
  ('bad_timezone', 422, false, 'Not a time zone that the server knows by an IANA name.');

create type office_internal.cron as (
  minutes bit (60), hours bit (24), days bit (31), months bit (12), weekdays bit (42), either_day boolean
);
comment on type office_internal.cron is 'A cron expression, parsed: a bit for each value of a field.';
comment on column office_internal.cron.minutes is 'Minutes 0 to 59.';
comment on column office_internal.cron.hours is 'Hours 0 to 23.';
comment on column office_internal.cron.days is 'Days of the month, 1 to 31.';
comment on column office_internal.cron.months is 'Months, 1 to 12.';
comment on column office_internal.cron.weekdays is 'Days of the week from a Sunday on, six weeks in a row: every month is a piece of it.';
comment on column office_internal.cron.either_day is 'Both day fields are restricted: a day matches when either does, else when both do.';
