drop type office_internal.cron;
delete from office.errors
where code in ('bad_cron', 'bad_timezone');
