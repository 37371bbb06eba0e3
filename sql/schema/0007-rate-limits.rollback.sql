alter table office.attempts drop column parsed_reset_at, drop column retry_source;
