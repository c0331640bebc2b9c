"""Completion in bash, zsh and fish: scripts for the shells, and what they ask."""
