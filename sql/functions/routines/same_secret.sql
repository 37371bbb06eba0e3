-- office_internal.same_secret: whether two secrets are equal, in a time that says nothing of where they differ: what is compared are
-- hashes of both, keyed by chance (R18).
create or replace function office_internal.same_secret(given bytea, expected bytea)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_chance bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
begin
  return coalesce(sha256(v_chance || sha256(given)) = sha256(v_chance || sha256(expected)), false);
end
$$;

comment on function office_internal.same_secret(bytea, bytea) is 'Compares secrets in constant time.';
