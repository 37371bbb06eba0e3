-- E2: what looks like a secret is left out of what is shown; everything else is as it came.
begin;
set local search_path = tap, public;
select plan(21);

select is(office.preview(p.given), p.shown, 'E2: ' || p.kind)
from (values
  ('a token of OpenAI''s form', 'key sk-proj-abcDEF0123456789abcdef!', 'key [secret]!'),
  ('of GitHub''s', 'ghp_0123456789abcdefghijABCDEFGHIJ012345', '[secret]'),
  ('a fine-grained one', 'x github_pat_11ABCDEFG0abcdefghijkl_0123', 'x [secret]'),
  ('of GitLab''s', 'glpat-abcdefghij0123456789', '[secret]'),
  ('of Slack''s', 'xoxb-123456789012-abcdef', '[secret]'),
  ('of AWS''s', 'id AKIAIOSFODNN7EXAMPLE.', 'id [secret].'),
  ('of Google''s', 'AIzaSyA0123456789abcdefghijklmnopqrstuv', '[secret]'),
  ('a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4', '[secret]'),
  ('a value by its name', 'DB_PASSWORD=hunter2hunter2 next', 'DB_PASSWORD=[secret] next'),
  ('… in JSON', '{"api_key": "abcdefgh", "n": 1}', '{"api_key": "[secret]", "n": 1}'),
  ('… in YAML', E'secret: abc123def\nuser: ann', E'secret: [secret]\nuser: ann'),
  ('… the office''s own', 'OFFICE_TOKEN=0123456789abcdef', 'OFFICE_TOKEN=[secret]'),
  ('a header', 'Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [secret]'),
  ('a password in an address', 'postgres://ann:s3cr3t@db:5432/x', 'postgres://ann:[secret]@db:5432/x'),
  ('a private key', E'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nb', E'a\n[secret]\nb'),
  ('one that is cut', E'-----BEGIN PRIVATE KEY-----\nMIIE', '[secret]'),
  ('a plain text', 'The token was refused; ask for a password. https://x.org:8080/a?b=c', 'The token was refused; ask for a password. https://x.org:8080/a?b=c'),
  ('code', 'let tokens = 0; key = f(x)', 'let tokens = 0; key = f(x)'),
  ('a short value', 'token: on', 'token: on'),
  ('nothing', '', '')
) as p (kind, given, shown);
select is(office.preview(null), null, 'E2: null');

select * from finish();
rollback;
