"""Chats of the gateway: routes, sessions, and what happens to them."""
