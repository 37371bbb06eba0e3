drop type office_internal.launch;
drop type office.run_reference;
drop type office.task_reference;
drop type office.profile_reference;
drop type office.project_reference;
drop type office.agent_reference;
drop type office.workspace_reference;
