-- office_internal.one_line: a text as one line of at most 500 characters, for errors: what was given may be a book.
create or replace function office_internal.one_line(given text)
returns text
language sql immutable parallel safe
return case when length(given) > 500 then left(regexp_replace(left(given, 500), '\s+', ' ', 'g'), 499) || '…'
  else regexp_replace(given, '[\n\r]+', ' ', 'g') end;

comment on function office_internal.one_line(text) is 'A text in one line of at most 500 characters.';
