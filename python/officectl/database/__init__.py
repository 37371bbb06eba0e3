"""Where the database is, how it is reached, and how the schema gets into it."""
