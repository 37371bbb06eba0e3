delete from office.errors
where code = 'parent_cycle';
drop index if exists office.tasks_peer_request;
