drop type office_internal.fire;
