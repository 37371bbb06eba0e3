delete from office.errors
where code = 'document_changed';
drop table office.task_documents;
