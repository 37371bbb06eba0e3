drop index office.activity_switches;
