"""Dialogs that several areas share; each closes only itself."""
