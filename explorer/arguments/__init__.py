"""The command line as it is typed: commands, options, their help, and what is wrong with them."""
