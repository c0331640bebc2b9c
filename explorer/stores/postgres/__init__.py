"""Reading a database on a PostgreSQL server: addresses, connections, sets of tables, changes.

Only modules here import the driver, and none of them is loaded before an address was given.
"""
