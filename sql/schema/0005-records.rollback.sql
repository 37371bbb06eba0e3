drop table office.inbox_items;
drop table office.activity;
