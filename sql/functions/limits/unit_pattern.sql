-- office_internal.unit_pattern: a regular expression for the units of time that messages use, short or long, in any case.
create or replace function office_internal.unit_pattern()
returns text
language sql immutable parallel safe
return '(?:ms|msecs?|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)(?![a-z])';

comment on function office_internal.unit_pattern() is 'Regular expression for units of time.';
