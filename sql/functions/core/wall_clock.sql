-- office_internal.wall_clock: the time as it passes, the other of the two clocks (I7).
-- Read into a variable after a gate is taken: a volatile call cannot be an index condition (A15).
create or replace function office_internal.wall_clock()
returns timestamptz
language sql volatile parallel safe
return pg_catalog.clock_timestamp();

comment on function office_internal.wall_clock() is 'The time as it passes; for leases, retries and due times, read after the gate.';
