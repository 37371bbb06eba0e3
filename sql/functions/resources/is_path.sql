-- office_internal.is_path: an absolute path as a launcher gives it: no link to resolve by its text, that is no empty, "." or ".."
-- component, no trailing slash, at most 1000 characters (S4).
create or replace function office_internal.is_path(path text)
returns boolean
language sql immutable parallel safe
return is_path.path ~ '^(/|(/[^/]+)+)$' and is_path.path !~ '/\.\.?(/|$)' and length(is_path.path) <= 1000;

comment on function office_internal.is_path(text) is 'True for an absolute path in its normal form.';
