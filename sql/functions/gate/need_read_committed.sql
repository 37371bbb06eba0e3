-- office_internal.need_read_committed: refuses any other isolation (isolation).
create or replace function office_internal.need_read_committed()
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform office_internal.refuse(
      'isolation',
      format('This needs READ COMMITTED; the transaction is %s.', upper(current_setting('transaction_isolation'))),
      'begin isolation level read committed;'
    );
  end if;
end
$$;

comment on function office_internal.need_read_committed() is 'Refuses REPEATABLE READ and SERIALIZABLE.';
