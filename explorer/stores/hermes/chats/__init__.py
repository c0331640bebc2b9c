"""What Hermes' gateway knows of its chats: routes, origins, and what it does to them by itself."""
