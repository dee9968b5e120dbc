"""The only door to Postgres: connections, the schema, and one module for each table that is written."""
