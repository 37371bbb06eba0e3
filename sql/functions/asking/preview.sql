-- office.preview: a text as it may be shown beside others (E2): what looks like a secret is left out, for every face alike. Private keys,
-- tokens of the forms that providers give theirs, values of names that say so, passwords in addresses. What is kept is as it came.
create or replace function office.preview(given text)
returns text
language sql immutable parallel safe
return regexp_replace(
  regexp_replace(
    regexp_replace(
      regexp_replace(
        given, '-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?', '[secret]', 'g'
      ),
      '\m(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}'
      || '|xox[abprs]-[A-Za-z0-9-]{10,}|(AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}'
      || '|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})',
      '[secret]', 'g'
    ),
    '((password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)[A-Za-z_]*["'']?[ \t]*[:=][ \t]*["'']?'
    || '|authorization["'']?[ \t]*:[ \t]*["'']?(bearer|basic)[ \t]+)[^\s"'',;{}]{6,}',
    '\1[secret]', 'gi'
  ),
  '(\m[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@', '\1[secret]@', 'gi'
);

comment on function office.preview(text) is 'A text without what looks like a secret: select office.preview(''token=abcdefgh'');';
