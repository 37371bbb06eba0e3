-- office_internal.is_provider: whether this can name a provider account: anthropic:team.
create or replace function office_internal.is_provider(provider text)
returns boolean
language sql immutable parallel safe
return is_provider.provider ~ '^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,99}$';

comment on function office_internal.is_provider(text) is 'Whether a text can name a provider account.';
