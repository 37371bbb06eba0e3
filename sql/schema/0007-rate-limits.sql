-- What an attempt's error said about a rate limit, and where its run's next try came from (Q19).

alter table office.attempts
add column retry_source text check (retry_source in ('rate_limit_parsed', 'backoff')),
add column parsed_reset_at timestamptz;
comment on column office.attempts.retry_source is 'Where the time of the next try came from; null: there is none.';
comment on column office.attempts.parsed_reset_at is 'The reset that its error told of, without the buffer.';
