"""Chats of the gateway: a list of them, and from one to its sessions."""
