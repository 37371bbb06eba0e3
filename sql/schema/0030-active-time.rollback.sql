alter table office.attempts drop column working_since, drop column worked;
