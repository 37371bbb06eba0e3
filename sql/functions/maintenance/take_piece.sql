-- office_internal.take_piece: whether this transaction may do a piece of the office's own work now: nobody else does it. Whoever is second
-- does not wait, but leaves it to the first. Held until the caller commits.
create or replace function office_internal.take_piece(name text)
returns boolean
language sql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select pg_try_advisory_xact_lock(1869901674, hashtext(take_piece.name))
$$;

comment on function office_internal.take_piece(text) is 'True when nobody else does this piece of maintenance now.';
