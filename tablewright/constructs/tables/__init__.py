"""Tables: a design as a table, with its grants, alarms, backups and replicas."""
