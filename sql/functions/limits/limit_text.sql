-- office_internal.limit_text: an error text as a reader of limits wants it: plain characters, one space between words, no colours,
-- boxes, markup, escapes of JSON or addresses. Of a long text the first and the last 8,000 characters count: a limit is said at the
-- start or at the end, and what is searched stays small whatever a program prints.
create or replace function office_internal.limit_text(error text)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_kept constant integer := 8000;
  v_text text := error;
begin
  if length(v_text) > 2 * v_kept then
    v_text := left(v_text, v_kept) || E'\n' || right(v_text, v_kept);
  end if;
  -- Terminal: colours and titles, also where the escape character was lost.
  v_text := regexp_replace(
    v_text, '(?:\e|\\u001b)\[[0-9;:?]*[ -/]*[@-~]|\e\][^\a\e]*(?:\a|\e\\)?|\[[0-9]{1,3}(?:;[0-9]{1,3})*m(?!\])', '', 'g'
  );
  v_text := regexp_replace(v_text, '[\u200b-\u200f\u2060\ufeff\u00ad*]', '', 'g');
  v_text := translate(
    v_text, E'\r\u2018\u2019\u02bc\u201c\u201d\u2010\u2011\u2012\u2013\u2014\u2212\uff1a\uff08\uff09\uff0c\uff5c',
    E'\n''''''""------:(),|'
  );
  -- Blanks of all widths, dots between words, boxes, bullets.
  v_text := regexp_replace(
    v_text,
    '[\u0001-\u0009\u000b-\u001f\u007f-\u00a0\u00b7\u1680\u2000-\u200a\u2022\u2027\u202f\u205f\u2219\u22c5\u23a0-\u23ff'
    '\u2500-\u25ff\u3000\u30fb]',
    ' ', 'g'
  );
  -- Text within JSON within text.
  v_text := regexp_replace(v_text, '\\+u(?:2018|2019)', '''', 'gi');
  v_text := regexp_replace(v_text, '\\+(?:[nrt]|u(?:00a0|00b7|2009|2022|202f|2219|22c5))', ' ', 'gi');
  v_text := regexp_replace(v_text, '\\+(["''])', '\1', 'g');
  v_text := regexp_replace(v_text, 'https?://[^\s"''<>)\]]*|</?[a-z!][^<>]{0,200}>', ' ', 'gi');
  v_text := regexp_replace(v_text, '\}\s*\{(?=\s*")', E'}\n{', 'g');
  v_text := regexp_replace(v_text, '([^ \n]) {2,}', '\1 ', 'g');
  return regexp_replace(v_text, ' *\n[ \n]*\n| +$', E'\n', 'g');
end
$$;

comment on function office_internal.limit_text(text) is 'An error text with its decoration removed, cut to 16,000 characters.';
