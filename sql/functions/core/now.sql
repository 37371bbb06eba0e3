-- office.now: the transaction's time, one of the two clocks (I7). A test deploy replaces it.
create or replace function office.now()
returns timestamptz
language sql stable parallel safe
return pg_catalog.now();

comment on function office.now()
is 'The office''s time: that of the transaction. Every rule about "now" reads it, or the wall clock after a gate.';
