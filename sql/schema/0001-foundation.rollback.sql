drop table office.errors;
drop table office_internal.deployment;
drop function office.uuid7();
drop function office.now();
drop schema office_internal;
drop schema office;
